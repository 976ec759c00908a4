"""Admin pages of incidents, bans and the audit log. Moderators pardon incidents, and extend or lift bans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from ranking.admin.base.acts.acts import Act, keys_of, on_keys, within_limits
from ranking.admin.base.acts.confirmation import SHOWN, Question
from ranking.admin.base.acts.effects import with_bans, with_pardon_each, with_resuming, with_taking_back
from ranking.admin.base.acts.forms import ActForm, ExtendForm, ShortenForm
from ranking.admin.base.audited import M
from ranking.admin.base.base import OfPlayerAdmin, ReadOnlyAdmin, UneditedAdmin
from ranking.admin.base.display import badge, link_to
from ranking.admin.base.lists import number_in
from ranking.admin.conduct.audit_export import AuditExportPage
from ranking.admin.conduct.crashes import CrashPardonPage
from ranking.admin.conduct.dropouts import FORFEIT_ACTS, ForfeitColumn
from ranking.admin.conduct.pardons import PARDON_RIGHT
from ranking.admin.conduct.sanction_filters import AUDIT_FILTERS, BAN_FILTERS, INCIDENT_FILTERS
from ranking.models import AuditEntry, Ban, Incident, Leaver, Match, Source
from ranking.moderation.ban_limits import EXTEND_RIGHT, LIFT_RIGHT
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


class ReturningAct(Act):
    """An act that the page of a player offers, too: it returns there if it came from there."""

    def hidden(self, request: HttpRequest) -> dict[str, str]:
        return {"leaver": str(number_in(request.POST.get("leaver", "")))}

    def report(
        self, page: ModelAdmin[M], request: HttpRequest, changed: list[Any], form: ActForm | None, now: dt.datetime
    ) -> HttpResponse | None:
        response, leaver = super().report(page, request, changed, form, now), number_in(request.POST.get("leaver", ""))
        return redirect("admin:ranking_leaver_change", leaver) if leaver else response


class IncidentAct(ReturningAct):
    """Shows the newest incidents first. A pardon of all of them says of each what it changes for its player."""

    def shown(self, rows: QuerySet[Incident], now: dt.datetime) -> tuple[Iterable[Incident], list[int]]:
        keys, newest = keys_of(rows), rows.order_by("-happened_at")[:SHOWN]
        return self.effects(newest, now) if self.effects else with_pardon_each(newest, now, among=keys), keys


def _is_pardoned(incident: Incident) -> bool:
    return hasattr(incident, "pardon")


def _runs(ban: Ban) -> bool:
    return ban.runs(timezone.now())


PARDON_ACT = IncidentAct(
    "pardon",
    "Pardon…",
    PARDON_RIGHT,
    on_keys(pardon_incidents),
    "Pardoned",
    PARDON,
    undo=Incident,
    bulk=True,
    fits=lambda incident: not _is_pardoned(incident),
)
REVOKE_ACT = IncidentAct(
    "revoke",
    "Revoke the pardon…",
    PARDON_RIGHT,
    on_keys(take_back_pardons),
    "Pardon revoked",
    REVOKE,
    effects=with_taking_back,
    undo=Incident,
    bulk=True,
    fits=_is_pardoned,
)
OF_RUNNING: dict[str, Any] = {"effects": with_bans, "undo": Ban, "bulk": True, "fits": _runs}
BAN_ACTS = (
    ReturningAct(
        "extend",
        "Extend…",
        EXTEND_RIGHT,
        within_limits(on_keys(extend_bans)),
        "Extended",
        EXTEND,
        ExtendForm,
        **OF_RUNNING,
    ),
    ReturningAct(
        "shorten",
        "Shorten…",
        EXTEND_RIGHT,
        within_limits(on_keys(shorten_bans)),
        "Shortened",
        SHORTEN,
        ShortenForm,
        **OF_RUNNING,
    ),
    ReturningAct("lift", "Lift…", LIFT_RIGHT, within_limits(on_keys(lift_bans)), "Lifted", LIFT, **OF_RUNNING),
    ReturningAct(
        "resume",
        "Put in force again…",
        LIFT_RIGHT,
        within_limits(on_keys(resume_bans)),
        "Put in force again",
        RESUME,
        effects=with_resuming,
        undo=Ban,
        bulk=True,
        fits=lambda ban: ban.lifted_at is not None,
    ),
)


class ConductFactsAdmin(UneditedAdmin[Any]):
    """Pages of facts about conduct; moderators act on them in the list and on the page of each."""

    @admin.display(description="Player")
    def whose(self, row: Any) -> str:
        return link_to(Leaver(pk=row.player_id, name=row.player.name))


@admin.register(Incident)
class IncidentAdmin(CrashPardonPage, ForfeitColumn, ConductFactsAdmin):
    actions = (PARDON_ACT, REVOKE_ACT, *FORFEIT_ACTS)
    list_display = ("happened_at", "player", "state", "kind", "mode")
    ordering = ("-happened_at", "-id")
    sortable_by = ("happened_at",)
    list_filter = INCIDENT_FILTERS
    search_fields = ("player__search_name", "player__key", "match__external_id")
    finds_players = MOST_FOUND
    search_help_text = (
        f"A part of a player's name (at most {MOST_FOUND} players), the whole key, or the whole id of a match."
    )
    fields = ("whose", "kind", "happened_at", "mode", "of_match", "of_forfeit", "occasion", "state", "note")

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        incidents: Any = super().get_queryset(request)
        return incidents.with_pardon().select_related("player", "mode")  # type: ignore[no-any-return]

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


@admin.register(Ban)
class BanAdmin(OfPlayerAdmin[Ban], ConductFactsAdmin):
    actions = BAN_ACTS
    list_display = ("player", "state", "scope", "starts_at", "ends_at", "by", "reason")
    list_select_related = ("player", "by")
    ordering = ("-starts_at", "-id")
    sortable_by = ("starts_at",)
    list_filter = BAN_FILTERS
    finds_players = MOST_FOUND
    fields = (
        "whose", "scope", "reason", "note", "by", "starts_at", "ends_at", "state", "lifted_at", "lifted_by",
        "lift_reason", "lift_note",
    )  # fmt: skip

    @admin.display
    def state(self, ban: Ban) -> str:
        if ban.lifted_at is not None:
            return badge("Lifted")
        return badge("Running", "warn") if ban.runs(timezone.now()) else badge("Over")


@admin.register(AuditEntry)
class AuditEntryAdmin(AuditExportPage, OfPlayerAdmin[AuditEntry], ReadOnlyAdmin[AuditEntry]):
    """The pages of the audit log, which nobody edits, not even superusers."""

    list_display = ("at", "done", "subject", "player", "name", "texts")
    list_select_related = ("player",)
    ordering = ("-at", "-id")
    sortable_by = ("at",)
    list_filter = AUDIT_FILTERS
    finds_players = MOST_FOUND
    fields = ("at", "name", "done", "subject", "player", "reason", "note")

    @admin.display(description="Act")
    def done(self, entry: AuditEntry) -> str:
        return act_words(entry.act)

    @admin.display(description="Reason and note")
    def texts(self, entry: AuditEntry) -> str:
        return " · ".join(text for text in (entry.reason if entry.reason != UNASKED else "", entry.note) if text) or "–"

    @admin.display(description="By")
    def name(self, entry: AuditEntry) -> str:
        return f"{entry.who}, by the key {entry.via}" if entry.who and entry.via else entry.author
