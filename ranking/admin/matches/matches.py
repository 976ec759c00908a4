"""Admin pages of matches: what was sent, and how everybody's rating changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ranking.admin.base.acts.acts import Act, ActRefused, on_list
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import sentence_of, with_leavers
from ranking.admin.base.audited import M
from ranking.admin.base.display import badge, change_text, link_to, public_page, rating_text
from ranking.admin.base.filters import ModeFilter, PlayerFilter, done_filter
from ranking.admin.base.form_filters import exact_filter, time_filter
from ranking.admin.base.lists import number_in
from ranking.admin.conduct.pardons import previewed_pardon
from ranking.admin.matches.result_imports import ResultImportPages
from ranking.matches.lobbies import compare_rosters
from ranking.matches.records import MatchRecord, is_void, load_records, with_voids
from ranking.models import Change, Incident, Match, Participation, Source, Void
from ranking.moderation.restoring import RestoreRefused, may_restore
from ranking.moderation.voids import restore, void
from ranking.players.search import find_named

VOID_RIGHT = "ranking.add_void"
MOST_PLAYERS = 50  # whose matches a search shows
PARDON = Question(
    "Pardon who left",
    "Their leaves are taken as though they had never happened: points, lockouts. Ratings stay as they are.",
    "Pardon",
)


_NEVER = {  # the codes of matches that never count
    Match.NO_CONTEST: "No contest",
    Match.UNRATED: "Sent as unrated",
    Match.NOBODY: "Nobody played",
    Match.WALKOVER: "Walkover",
    Match.BOTS: "Bots alone",
}


class MatchStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        return [("waiting", "Not rated yet"), ("void", "Void"), *_NEVER.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        state = self.value()
        if state == "waiting":
            return queryset.filter(~is_void(), event=None)
        if state != "void" and state not in _NEVER:
            return queryset
        voids = Void.objects.filter(lifted_at=None, match__isnull=False)
        found = queryset.filter(pk__in=voids.values("match"))
        return found if state == "void" else found.filter(uncounted=state)


class SourceFilter(admin.SimpleListFilter):
    title = "source"
    parameter_name = "source"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        return [(str(source.pk), source.slug) for source in Source.objects.order_by("slug")[:100]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Match]) -> QuerySet[Match]:
        return queryset.filter(source=number_in(self.value() or "")) if self.value() else queryset


class ParticipantFilter(PlayerFilter):
    """Filters by a player who took part. It is offered only if the address names a player."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset.filter(pk__in=_of_players([number_in(self.value() or "")])) if self.value() else queryset


def _of_players(players: list[int]) -> QuerySet[Any, Any]:
    return Participation.objects.filter(player__in=players).values("match")


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


class JudgeAct(Act):
    """Voids or restores matches; the page tells what is rated anew."""

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> HttpResponse | None:
        return super().__call__(page, request, rows.select_related("mode", "source").order_by("-ended_at", "-id"))


def _asking(verb: str) -> Callable[[Any], Question]:
    return lambda matches: Question(f"{verb} matches", sentence_of(verb, list(matches)), verb)


def _restore(matches: QuerySet[Match], **details: Any) -> list[Match]:
    try:
        return restore(list(matches), **details)
    except RestoreRefused as refused:
        raise ActRefused(f"{refused} Nothing has changed.") from refused


def _has_leaves(match: Match) -> bool:
    return Incident.objects.counting().filter(match=match).exists()


def _counts(match: Any) -> bool:
    return not match.is_void


def _may_return(match: Any) -> bool:
    return match.is_void and may_restore(match)


JUDGING: dict[str, Any] = {"needs_rows": True, "undo": Match, "bulk": True}
OF_VALID, OF_VOID = ({"concerned": concerned, **JUDGING} for concerned in (~is_void(), is_void()))
MATCH_ACTS = (
    JudgeAct("void", "Void…", VOID_RIGHT, on_list(void), "Void", _asking("Void"), fits=_counts, **OF_VALID),
    JudgeAct("restore", "Restore…", VOID_RIGHT, _restore, "Restored", _asking("Restore"), fits=_may_return, **OF_VOID),
    previewed_pardon(
        "Pardon who left…",
        PARDON,
        of="match",
        too_many="leaves count in them: choose fewer matches",
        told=lambda matches, leaves, now: with_leavers(matches, leaves),
        fits=_has_leaves,
    ),
)


@admin.register(Match)
class MatchAdmin(ResultImportPages):
    list_display = ("external_id", "mode", "ended_at", "state", "source", "variant")
    list_select_related = ("mode", "source")
    ordering = ("-ended_at", "-id")
    sortable_by = ("ended_at",)
    list_filter = (
        ModeFilter,
        MatchStateFilter,
        time_filter("ended_at", "when it ended"),
        SourceFilter,
        exact_filter("server", "server", "Whole name", lambda text: Q(server=text) & ~Q(server="")),
        exact_filter("variant", "variant", "Whole name", lambda text: Q(variant=text) & ~Q(variant="")),
        ParticipantFilter,
        done_filter(("by", "voided_at"), ("lifted_by", "lifted_at"), through=Void, to="match"),
    )
    search_fields = ("external_id", "id")
    finds_players = MOST_PLAYERS
    search_help_text = (
        f"A match's whole id, a part of a player's name (at most {MOST_PLAYERS} players), or the whole key."
    )
    actions: Any = MATCH_ACTS
    change_form_template = "admin/ranking/match/change_form.html"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "mode",
                    "season",
                    "state",
                    "corrects",
                    "corrected_by",
                    "event",
                    "started_at",
                    "ended_at",
                    "duration",
                    "rounds",
                )
            },
        ),
        ("Sent", {"fields": ("source", "external_id", "received_at", "lobby", "variant", "region", "server")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return with_voids(super().get_queryset(request))

    def search_rows(self, queryset: QuerySet[Match], term: str) -> QuerySet[Match]:
        # The query names every source, because the index of ids begins with the source.
        sent = Match.objects.filter(source__in=list(Source.objects.values_list("pk", flat=True)), external_id=term)
        numbered = Match.objects.filter(pk=number_in(term))
        whole = [*sent.values_list("pk", flat=True), *numbered.values_list("pk", flat=True)]
        return queryset.filter(pk__in=whole or _of_players(find_named(term)[:MOST_PLAYERS]))

    def view_on_site(self, obj: Match) -> str | None:
        return public_page("match", obj.pk)

    @admin.display
    def state(self, match: Match) -> str:
        if match.is_void:
            return badge(_NEVER.get(match.uncounted, "Void"), "warn")
        if match.event_id is None:
            return badge("Not rated yet", "warn")
        return badge("Rated late", "warn") if match.late else badge("Rated", "good")

    @admin.display
    def corrects(self, match: Match) -> str:
        return "–" if match.replaces is None else link_to(match.replaces)

    @admin.display
    def corrected_by(self, match: Match) -> str:
        new = Match.objects.select_related("source").filter(replaces=match).first()
        return "–" if new is None else link_to(new)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        match = context["original"]
        if not match.is_void and request.user.has_perm(VOID_RIGHT):
            context["object_links"] = {reverse("admin:ranking_match_correct", args=[match.pk]): "Correct…"}
        record = load_records([match])[match.pk]
        context["teams"] = _teams(record)
        context["roster"] = compare_rosters([record]).get(match.pk)
        context["voids"] = match.voids.select_related("by", "lifted_by").order_by("-id")[:20]
        return super().render_change_form(request, context, *args, **kwargs)


def _teams(record: MatchRecord) -> list[dict[str, Any]]:
    """Return the teams as sent, each with its participations in the order of the roster."""
    changes = {change.player_id: change for change in record.changes}
    rated = [RatedParticipation(part, changes.get(part.player_id)) for part in record.parts]
    return [
        {
            "name": team.get("name") or f"Team {index}",
            "score": team.get("score"),
            "place": team.get("place"),
            "participations": [each for each in rated if each.part.team == index - 1],
        }
        for index, team in enumerate(record.match.teams, 1)
    ]
