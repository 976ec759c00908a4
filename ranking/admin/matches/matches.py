"""Admin pages of matches: what was sent, and how everybody's rating changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.base import ReadOnlyAdmin, number_in
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import sentence_of, with_leavers
from ranking.admin.base.display import badge, change_text, public_page, rating_text
from ranking.admin.base.filters import EndedFilter, ModeFilter
from ranking.admin.base.reasons import TextsForm, details_of, form_from
from ranking.matches.records import is_void, load_records, with_voids
from ranking.models import Change, Incident, Match, Participation, Source, Void
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import restore, void

PARDON = Question(
    "Pardon who left",
    "Their leaves are taken as though they had never happened: points, lockouts. Ratings stay as they are.",
    "Pardon",
)


class MatchStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waiting", "Not rated yet"), ("void", "Void")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        if self.value() == "waiting":
            return queryset.filter(event=None)
        voids = Void.objects.filter(lifted_at=None, match__isnull=False)
        return queryset.filter(pk__in=voids.values("match")) if self.value() == "void" else queryset


@dataclass(frozen=True, slots=True)
class RatedParticipation:
    """A player's participation in a match and, once the match is rated, the change of their rating."""

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
class MatchAdmin(ConductActionsAdmin, ReadOnlyAdmin[Match]):
    list_display = ("external_id", "mode", "ended_at", "state", "source", "variant")
    list_select_related = ("mode", "source")
    ordering = ("-ended_at", "-id")
    list_filter = (ModeFilter, EndedFilter, MatchStateFilter)
    search_fields = ("external_id", "id")
    search_help_text = "The match's whole id, as its sender or as this site knows it."
    actions: Any = ("void", "restore", "pardon")
    change_form_template = "admin/ranking/match/change_form.html"
    fieldsets = (
        (None, {"fields": ("mode", "season", "state", "event", "started_at", "ended_at", "duration", "rounds")}),
        ("Sent", {"fields": ("source", "external_id", "received_at", "lobby", "variant", "region", "server")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return with_voids(super().get_queryset(request))

    def actions_for(self, request: HttpRequest, row: Match) -> tuple[str, ...]:
        left = Incident.objects.counting().filter(match=row).exists()
        return ("restore" if row.is_void else "void", *(("pardon",) if left else ()))

    def search_rows(self, queryset: QuerySet[Match], term: str) -> QuerySet[Match]:
        # The query names every source, because the index of ids begins with the source.
        sent = Match.objects.filter(source__in=list(Source.objects.values_list("pk", flat=True)), external_id=term)
        return queryset.filter(Q(pk__in=[*sent.values_list("pk", flat=True), number_in(term)]))

    def view_on_site(self, obj: Match) -> str | None:
        return public_page("match", obj.pk)

    @admin.display
    def state(self, match: Match) -> str:
        if match.is_void:
            return badge("Void", "warn")
        if match.event_id is None:
            return badge("Not rated yet", "warn")
        return badge("Rated late", "warn") if match.late else badge("Rated", "good")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        match = context["original"]
        context["teams"] = _teams(match)
        context["voids"] = match.voids.select_related("by", "lifted_by").order_by("-id")[:20]
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.action(description="Void…", permissions=["void"])
    def void(self, request: HttpRequest, matches: QuerySet[Match]) -> HttpResponse | None:
        return self._moderate(request, matches.filter(~is_void()), "Void", "void", void)

    @admin.action(description="Restore…", permissions=["void"])
    def restore(self, request: HttpRequest, matches: QuerySet[Match]) -> HttpResponse | None:
        return self._moderate(request, matches.filter(is_void()), "Restore", "restored", restore)

    @admin.action(description="Pardon who left…", permissions=["pardon"])
    def pardon(self, request: HttpRequest, matches: QuerySet[Match]) -> HttpResponse | None:
        form, rows = form_from(request, TextsForm), list(matches.select_related("source"))
        if not form.is_valid():
            return confirmation_page(self, request, with_leavers(rows), PARDON, form)
        leaves = Incident.objects.counting().filter(match__in=rows).values_list("pk", flat=True)
        details = details_of(request, form, timezone.now())
        pardoned = {incident.match_id for incident in pardon_incidents(list(leaves), **details)}
        return report_done(self, request, [row for row in rows if row.pk in pardoned], "Pardoned")

    def _moderate(
        self, request: HttpRequest, matches: QuerySet[Match], verb: str, outcome: str, act: Callable[..., list[Match]]
    ) -> HttpResponse | None:
        """Ask for the reason and show the effects; once confirmed, act on the matches."""
        form = form_from(request, TextsForm)
        rows = list(matches.select_related("mode", "source").order_by("-ended_at", "-id"))
        if rows and not form.is_valid():
            return confirmation_page(
                self, request, rows, Question(f"{verb} matches", sentence_of(verb, rows), verb), form
            )
        if not rows:
            return report_done(self, request, [], outcome)
        changed = act(rows, **details_of(request, form, timezone.now()))
        return report_done(self, request, changed, outcome.capitalize())


def _teams(match: Match) -> list[dict[str, Any]]:
    """Return the teams as sent, each with its participations in the order of the roster."""
    record = load_records([match])[match.pk]
    changes = {change.player_id: change for change in record.changes}
    rated = [RatedParticipation(part, changes.get(part.player_id)) for part in record.parts]
    return [
        {
            "name": team.get("name") or f"Team {index}",
            "score": team.get("score"),
            "place": team.get("place"),
            "participations": [each for each in rated if each.part.team == index - 1],
        }
        for index, team in enumerate(match.teams, 1)
    ]
