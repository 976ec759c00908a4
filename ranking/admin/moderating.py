"""Incidents, bans and the audit log: facts, of which a moderator pardons and lifts."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base import ReadOnlyAdmin, UneditedAdmin
from ranking.admin.confirming import Question, ask, tell
from ranking.admin.filters import PlayerFilter
from ranking.admin.reasons import ReasonForm, moderator, read_form
from ranking.admin.showing import badge, link_to
from ranking.models import AuditEntry, Ban, Incident, Match, Player, Source
from ranking.moderation import lift_ban, pardon_incidents

PARDON = Question(
    "Pardon incidents", "Their points and lockouts are as though they had never happened. Ratings stay.", "Pardon"
)
LIFT = Question("Lift bans", "They may queue at once, and are on boards with the next publication.", "Lift")


def _players(term: str) -> list[int]:
    return list(Player.objects.filter(key=term).values_list("pk", flat=True))


class _Acted(UneditedAdmin[Any]):
    """Facts with one act, offered on the page of each, too."""

    act = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        kwargs["extra_context"] = {"object_actions": {self.act: getattr(self, self.act).short_description}}
        return super().change_view(request, object_id, *args, **kwargs)

    @admin.display(description="Player")
    def whose(self, row: Any) -> str:
        return link_to(row.player)


@admin.register(Incident)
class IncidentAdmin(_Acted):
    act = "pardon"
    actions = (act,)
    list_display = ("happened_at", "player", "kind", "mode", "state")
    list_select_related = ("player", "mode", "pardon")
    list_filter = (PlayerFilter,)
    search_fields = ("player__key", "match__external_id")
    search_help_text = "The whole key of a player, or the whole id of a match."
    fields = ("whose", "kind", "happened_at", "mode", "of_match", "occasion", "state")

    def found(self, queryset: QuerySet[Incident], term: str) -> QuerySet[Incident]:
        players = _players(term)
        if players:
            return queryset.filter(player__in=players)
        sources = list(Source.objects.values_list("pk", flat=True))
        return queryset.filter(match__in=list(Match.objects.filter(source__in=sources, external_id=term)))

    @admin.display(description="Match")
    def of_match(self, incident: Incident) -> str:
        return link_to(incident.match)

    @admin.display(description="Pardoned")
    def state(self, incident: Incident) -> str:
        pardon = getattr(incident, "pardon", None)
        return badge(pardon.reason, "good") if pardon else "–"

    @admin.action(description="Pardon…", permissions=["change"])
    def pardon(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        form = read_form(request, ReasonForm)
        if not form.is_valid():
            return ask(self, request, incidents.select_related("player"), PARDON, form=form)
        ids, reason = list(incidents.values_list("pk", flat=True)), form.cleaned_data["reason"]
        done = pardon_incidents(ids, by=moderator(request), reason=reason, now=timezone.now())
        return tell(self, request, done, "Pardoned")


class RunningFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "running"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Running")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pk__in=Ban.objects.running(timezone.now())) if self.value() == "yes" else queryset


@admin.register(Ban)
class BanAdmin(_Acted):
    act = "lift"
    actions = (act,)
    list_display = ("player", "scope", "state", "ends_at", "reason")
    list_select_related = ("player", "by")
    list_filter = (RunningFilter, PlayerFilter)
    search_fields = ("player__key",)
    search_help_text = "The whole key of a player."
    fields = (
        "whose", "scope", "reason", "by", "starts_at", "ends_at", "state", "lifted_at", "lifted_by", "lift_reason",
    )  # fmt: skip

    def found(self, queryset: QuerySet[Ban], term: str) -> QuerySet[Ban]:
        return queryset.filter(player__in=_players(term))

    @admin.display
    def state(self, ban: Ban) -> str:
        if ban.lifted_at is not None:
            return badge("Lifted")
        return badge("Running", "warn") if ban.runs(timezone.now()) else badge("Over")

    @admin.action(description="Lift…", permissions=["change"])
    def lift(self, request: HttpRequest, bans: QuerySet[Ban]) -> HttpResponse | None:
        form = read_form(request, ReasonForm)
        if not form.is_valid():
            return ask(self, request, bans.select_related("player"), LIFT, form=form)
        said = {"by": moderator(request), "reason": form.cleaned_data["reason"], "now": timezone.now()}
        return tell(self, request, [ban for ban in bans.select_related("player") if lift_ban(ban, **said)], "Lifted")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin[AuditEntry]):
    """Nobody edits it here, superusers included."""

    list_display = ("at", "act", "subject", "player", "by", "reason")
    list_select_related = ("player", "by")
    list_filter = (PlayerFilter,)
    search_fields = ("player__key",)
    search_help_text = "The whole key of a player."
    fields = ("at", "by", "act", "subject", "player", "reason")

    def found(self, queryset: QuerySet[AuditEntry], term: str) -> QuerySet[AuditEntry]:
        return queryset.filter(player__in=_players(term))
