"""Admin pages of incidents, bans and the audit log. Moderators pardon incidents, and extend or lift bans."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.base import ReadOnlyAdmin, UneditedAdmin, number_in
from ranking.admin.base.confirmation import SHOWN, Question, confirmation_page, report_done
from ranking.admin.base.consequences import with_bans, with_pardon_each, with_resuming, with_taking_back
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.reasons import ExtendForm, ShortenForm, TextsForm, details_of, form_from
from ranking.admin.conduct.audit_export import AuditExportPage
from ranking.admin.conduct.crashes import CrashPardonPage
from ranking.admin.conduct.dropouts import ForfeitActions
from ranking.admin.conduct.sanction_filters import AUDIT_FILTERS, BAN_FILTERS, INCIDENT_FILTERS
from ranking.models import AuditEntry, Ban, Incident, Leaver, Match, Source
from ranking.moderation.sanctions import extend_bans, lift_bans, pardon_incidents, shorten_bans
from ranking.moderation.undoing import resume_bans, take_back_pardons
from ranking.operations.audit import UNASKED, act_words
from ranking.players.search import MOST_FOUND, find_named

PARDON = Question(
    "Pardon incidents", "Their points and lockouts are as though they had never happened. Ratings stay.", "Pardon"
)
EXTEND = Question(
    "Extend bans", "Those that run end later: so many days or hours from now, or when they are lifted.", "Extend"
)
SHORTEN = Question("Shorten bans", "Those that run longer end so many days or hours from now.", "Shorten")
RESUME = Question(
    "Put bans in force again",
    "Lifted bans run again until their end. Appeals that the lifting had granted wait in the inbox again.",
    "Put in force",
)
REVOKE = Question(
    "Revoke pardons",
    "Points and lockouts count as they did before. Appeals that the pardon had granted wait in the inbox again.",
    "Revoke",
)
LIFT = Question("Lift bans", "They may queue at once, and are on boards with the next publication.", "Lift")


class ConductFactsAdmin(ConductActionsAdmin, UneditedAdmin[Any]):
    """Pages of facts about conduct; moderators act on them in the list and on the page of each."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="Player")
    def whose(self, row: Any) -> str:
        return link_to(Leaver(pk=row.player_id, name=row.player.name))


@admin.register(Incident)
class IncidentAdmin(CrashPardonPage, ForfeitActions, ConductFactsAdmin):
    actions = ("pardon", "revoke", "void", "restore")
    list_display = ("happened_at", "player", "state", "kind", "mode")
    ordering = ("-happened_at", "-id")
    sortable_by = ("happened_at",)
    bulk_actions = ("pardon", "revoke")
    list_filter = INCIDENT_FILTERS
    search_fields = ("player__search_name", "player__key", "match__external_id")
    finds_players = MOST_FOUND
    search_help_text = (
        f"A part of a player's name (at most {MOST_FOUND} players), the whole key, or the whole id of a match."
    )
    fields = ("whose", "kind", "happened_at", "mode", "of_match", "of_forfeit", "occasion", "state", "note")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        incidents: Any = super().get_queryset(request)
        return incidents.with_pardon().select_related("player", "mode")  # type: ignore[no-any-return]

    def actions_for(self, request: HttpRequest, row: Incident) -> tuple[str, ...]:
        pardon = "revoke" if hasattr(row, "pardon") else "pardon"
        if row.forfeit is None:
            return (pardon,)
        return (pardon, "restore" if row.forfeit.voids.filter(lifted_at=None).exists() else "void")

    def search_rows(self, queryset: QuerySet[Incident], term: str) -> QuerySet[Incident]:
        sources = list(Source.objects.values_list("pk", flat=True))
        matches = list(Match.objects.filter(source__in=sources, external_id=term))
        return queryset.filter(Q(player__in=find_named(term)) | Q(match__in=matches))

    @admin.display(description="Match")
    def of_match(self, incident: Incident) -> str:
        return link_to(incident.match)

    @admin.display(description="Pardoned")
    def state(self, incident: Incident) -> str:
        pardon = getattr(incident, "pardon", None)
        return badge(pardon.reason, "good") if pardon else "–"

    @admin.display(description="Note for moderators only")
    def note(self, incident: Incident) -> str:
        pardon = getattr(incident, "pardon", None)
        return pardon.note if pardon and pardon.note else "–"

    @admin.action(description="Revoke the pardon…", permissions=["pardon"])
    def revoke(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        form, now, leaver = form_from(request, TextsForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        ids = list(incidents.values_list("pk", flat=True))
        if not form.is_valid():
            rows = with_taking_back(incidents.order_by("-happened_at")[:SHOWN], now)
            return confirmation_page(self, request, rows, REVOKE, form, ids, leaver=str(leaver))
        taken = take_back_pardons(ids, **details_of(request, form, now))
        return back_to(leaver, report_done(self, request, taken, "Pardon revoked", undo=(Incident, now)))

    @admin.action(description="Pardon…", permissions=["pardon"])
    def pardon(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        form, now, leaver = form_from(request, TextsForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        ids = list(incidents.values_list("pk", flat=True))
        if not form.is_valid():
            first = incidents.select_related("player").order_by("-happened_at")[:SHOWN]
            rows = with_pardon_each(first, now, among=ids)
            return confirmation_page(self, request, rows, PARDON, form, ids, leaver=str(leaver))
        pardoned = pardon_incidents(ids, **details_of(request, form, now))
        return back_to(leaver, report_done(self, request, pardoned, "Pardoned", undo=(Incident, now)))


@admin.register(Ban)
class BanAdmin(ConductFactsAdmin):
    actions = page_actions = ("extend", "shorten", "lift", "resume")
    list_display = ("player", "state", "scope", "starts_at", "ends_at", "by", "reason")
    list_select_related = ("player", "by")
    ordering = ("-starts_at", "-id")
    sortable_by = ("starts_at",)
    bulk_actions = ("extend", "shorten", "lift", "resume")
    list_filter = BAN_FILTERS
    search_fields = ("player__search_name", "player__key")
    finds_players = MOST_FOUND
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = (
        "whose", "scope", "reason", "note", "by", "starts_at", "ends_at", "state", "lifted_at", "lifted_by",
        "lift_reason", "lift_note",
    )  # fmt: skip

    def search_rows(self, queryset: QuerySet[Ban], term: str) -> QuerySet[Ban]:
        return queryset.filter(player__in=find_named(term))

    def actions_for(self, request: HttpRequest, row: Ban) -> tuple[str, ...]:
        if row.lifted_at is not None:
            return ("resume",)
        return ("extend", "shorten", "lift") if row.runs(timezone.now()) else ()

    @admin.display
    def state(self, ban: Ban) -> str:
        if ban.lifted_at is not None:
            return badge("Lifted")
        return badge("Running", "warn") if ban.runs(timezone.now()) else badge("Over")

    @admin.action(description="Extend…", permissions=["extend"])
    def extend(self, request: HttpRequest, bans: QuerySet[Ban]) -> HttpResponse | None:
        form, now, leaver = form_from(request, ExtendForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        if not form.is_valid():
            rows, keys = with_bans(bans.select_related("player")[:SHOWN], now), bans.values_list("pk", flat=True)
            return confirmation_page(self, request, rows, EXTEND, form, keys, leaver=str(leaver))
        details = {**details_of(request, form, now), "ends_at": form.ends_at(now)}
        extended = extend_bans(list(bans.values_list("pk", flat=True)), **details)
        return back_to(leaver, report_done(self, request, extended, "Extended", undo=(Ban, now)))

    @admin.action(description="Shorten…", permissions=["extend"])
    def shorten(self, request: HttpRequest, bans: QuerySet[Ban]) -> HttpResponse | None:
        form, now, leaver = form_from(request, ShortenForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        if not form.is_valid():
            rows, keys = with_bans(bans.select_related("player")[:SHOWN], now), bans.values_list("pk", flat=True)
            return confirmation_page(self, request, rows, SHORTEN, form, keys, leaver=str(leaver))
        details = {**details_of(request, form, now), "ends_at": form.ends_at(now)}
        shortened = shorten_bans(list(bans.values_list("pk", flat=True)), **details)
        return back_to(leaver, report_done(self, request, shortened, "Shortened", undo=(Ban, now)))

    @admin.action(description="Put in force again…", permissions=["lift"])
    def resume(self, request: HttpRequest, bans: QuerySet[Ban]) -> HttpResponse | None:
        form, now, leaver = form_from(request, TextsForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        if not form.is_valid():
            rows, keys = with_resuming(bans.select_related("player")[:SHOWN], now), bans.values_list("pk", flat=True)
            return confirmation_page(self, request, rows, RESUME, form, keys, leaver=str(leaver))
        resumed = resume_bans(list(bans.values_list("pk", flat=True)), **details_of(request, form, now))
        return back_to(leaver, report_done(self, request, resumed, "Put in force again", undo=(Ban, now)))

    @admin.action(description="Lift…", permissions=["lift"])
    def lift(self, request: HttpRequest, bans: QuerySet[Ban]) -> HttpResponse | None:
        form, now, leaver = form_from(request, TextsForm), timezone.now(), number_in(request.POST.get("leaver", ""))
        if not form.is_valid():
            rows, keys = with_bans(bans.select_related("player")[:SHOWN], now), bans.values_list("pk", flat=True)
            return confirmation_page(self, request, rows, LIFT, form, keys, leaver=str(leaver))
        lifted = lift_bans(list(bans.values_list("pk", flat=True)), **details_of(request, form, now))
        return back_to(leaver, report_done(self, request, lifted, "Lifted", undo=(Ban, now)))


def back_to(leaver: int, response: HttpResponse | None) -> HttpResponse | None:
    """Redirect to the player's page if the action came from there (`leaver` isn't 0); else return the response."""
    return redirect("admin:ranking_leaver_change", leaver) if leaver else response


@admin.register(AuditEntry)
class AuditEntryAdmin(AuditExportPage, ReadOnlyAdmin[AuditEntry]):
    """The pages of the audit log, which nobody edits, not even superusers."""

    list_display = ("at", "done", "subject", "player", "name", "texts")
    list_select_related = ("player",)
    ordering = ("-at", "-id")
    sortable_by = ("at",)
    list_filter = AUDIT_FILTERS
    search_fields = ("player__search_name", "player__key")
    finds_players = MOST_FOUND
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."
    fields = ("at", "name", "done", "subject", "player", "reason", "note")

    def search_rows(self, queryset: QuerySet[AuditEntry], term: str) -> QuerySet[AuditEntry]:
        return queryset.filter(player__in=find_named(term))

    @admin.display(description="Act")
    def done(self, entry: AuditEntry) -> str:
        return act_words(entry.act)

    @admin.display(description="Reason and note")
    def texts(self, entry: AuditEntry) -> str:
        return " · ".join(text for text in (entry.reason if entry.reason != UNASKED else "", entry.note) if text) or "–"

    @admin.display(description="By")
    def name(self, entry: AuditEntry) -> str:
        return f"{entry.who}, by the key {entry.via}" if entry.who and entry.via else entry.author
