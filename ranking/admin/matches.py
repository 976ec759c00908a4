"""Matches: what was sent, and what it did to everybody's rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from ranking.admin.base import ReadOnlyAdmin, number_in
from ranking.admin.filters import EndedFilter, ModeFilter
from ranking.admin.showing import badge, change_text, public_page, rating_text
from ranking.models import Change, Match, Participation, Source
from ranking.plays import load_plays


class WaitingFilter(admin.SimpleListFilter):
    title = "rated"
    parameter_name = "waiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Not rated yet")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(event=None) if self.value() == "yes" else queryset


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's part in a match and, once rated, what it did to their rating."""

    part: Participation
    change: Change | None

    @property
    def before(self) -> str:
        return rating_text(self.change.display_before) if self.change else "–"

    @property
    def after(self) -> str:
        return rating_text(self.change.display_after) if self.change else "–"

    @property
    def step(self) -> str:
        return change_text(self.change.display_before, self.change.display_after) if self.change else "–"


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin[Match]):
    list_display = ("external_id", "mode", "ended_at", "state", "source", "variant")
    list_select_related = ("mode", "source")
    list_filter = (ModeFilter, EndedFilter, WaitingFilter)
    search_fields = ("external_id", "id")
    search_help_text = "The match's whole id, as its sender or as this site knows it."
    change_form_template = "admin/ranking/match/change_form.html"
    fieldsets = (
        (None, {"fields": ("mode", "season", "state", "event", "started_at", "ended_at", "duration", "rounds")}),
        ("Sent", {"fields": ("source", "external_id", "received_at", "lobby", "variant", "region", "server")}),
    )

    def get_ordering(self, request: HttpRequest) -> Any:
        return ("-ended_at", "-id") if request.GET.get(ModeFilter.parameter_name) else self.ordering  # each by an index

    def found(self, queryset: QuerySet[Match], term: str) -> QuerySet[Match]:
        # Asked of each source: ids are unique, and indexed, within one.
        sent = Match.objects.filter(source__in=list(Source.objects.values_list("pk", flat=True)), external_id=term)
        return queryset.filter(Q(pk__in=[*sent.values_list("pk", flat=True), number_in(term)]))

    def view_on_site(self, obj: Match) -> str | None:
        return public_page("match", obj.pk)

    @admin.display
    def state(self, match: Match) -> str:
        if match.event_id is None:
            return badge("Not rated yet", "warn")
        return badge("Rated late", "warn") if match.late else badge("Rated", "good")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        context["teams"] = _teams(context["original"])
        return super().render_change_form(request, context, *args, **kwargs)


def _teams(match: Match) -> list[dict[str, Any]]:
    """Teams as sent, each with its seats in roster order."""
    play = load_plays([match])[match.pk]
    changes = {change.player_id: change for change in play.changes}
    return [
        {
            "name": said.get("name") or f"Team {index}",
            "score": said.get("score"),
            "place": said.get("place"),
            "seats": [Seat(p, changes.get(p.player_id)) for p in play.parts if p.team == index - 1],
        }
        for index, said in enumerate(match.teams, 1)
    ]
