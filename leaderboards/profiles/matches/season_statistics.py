"""A player's own statistics over a season, by the columns of the mode's scoreboard, and their record by map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Avg, Count, Exists, F, FilteredRelation, FloatField, OuterRef, Q, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from leaderboards.boards.boards import Board
from leaderboards.postgame.scoreboard import text_of
from ranking.models import Change, Rating, Void
from ranking.rules.scoreboard import MINUTES, NUMBER, ROUNDS, Column, columns_for
from ranking.rules.shares import percent_of
from ranking.wording.translation import number_text

MATCHES = 10_000  # the newest count
MAPS = 12


@dataclass(frozen=True, slots=True)
class Statistic:
    """A column over the season: a match’s average, or the quotient of the sums, which has an empty `total`."""

    name: str
    average: str
    total: str


@dataclass(frozen=True, slots=True)
class MapStatistics:
    """A map's record. `won`: wins, with more than two teams first places; `top_halves` and `place`: of those only."""

    name: str
    matches: int
    won: int
    drawn: int
    lost: int
    left: int
    top_halves: int
    place: str
    score: str

    @property
    def won_percent(self) -> int | None:
        """The share of matches that were won; whoever left one hasn't won it."""
        return percent_of(self.won, self.matches)

    @property
    def top_half_percent(self) -> int | None:
        return percent_of(self.top_halves, self.matches)


@dataclass(frozen=True, slots=True)
class SeasonStatistics:
    """`more_maps`: how many maps there are beyond MAPS. `limit`: only so many matches count, None if all do."""

    statistics: Sequence[Statistic]
    maps: Sequence[MapStatistics]
    more_maps: int
    limit: int | None

    @property
    def shows_scores(self) -> bool:
        return any(each.score for each in self.maps)


def load_season_statistics(board: Board, rating: Rating, reported: set[str]) -> SeasonStatistics:
    """Return the statistics of a rating's matches, without void ones: one query.

    `reported`: the statistics of the newest matches. They give the columns if the mode chose none.
    """
    columns = columns_for(
        board.mode.columns, reported | {column.stat for column in board.mode.columns}, with_rounds=True
    )
    groups = list(_groups(board, rating, columns))
    named = [group for group in groups if group["variant"]]
    return SeasonStatistics(
        statistics=_statistics(columns, groups),
        maps=[_map(group) for group in named[:MAPS]],
        more_maps=len(named[MAPS:]),
        limit=MATCHES if sum(group["matches"] for group in groups) >= MATCHES else None,
    )


def _groups(board: Board, rating: Rating, columns: Sequence[Column]) -> Any:
    """Rows by map, the one played most first: counts, and for each column the sums `n…` and `d…` of its quotient."""
    own = {"player": rating.player_id, "mode": rating.mode_id, "season": rating.season_id}
    changes = Change.objects.live(board.mode.generation).filter(**own, kind=Change.MATCH)
    if rating.matches > MATCHES:
        changes = Change.objects.filter(pk__in=changes.order_by("-event").values("pk")[:MATCHES])
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=rating.player_id))
    void = Void.objects.filter(match=OuterRef("match"), lifted_at=None)
    stayed = ~Q(outcome=Change.LEFT)
    counts: dict[str, object] = {
        "matches": Count("pk"),
        "won": Count("pk", filter=stayed & (Q(mine__place=1) if board.mode.team_count > 2 else Q(outcome=Change.WIN))),
        "drawn": Count("pk", filter=Q(outcome=Change.DRAW)),
        "lost": Count("pk", filter=Q(outcome=Change.LOSS)),
        "left": Count("pk", filter=Q(outcome=Change.LEFT)),
        "top_halves": Count("pk", filter=stayed & Q(mine__places__gte=2 * F("mine__place"))),
        "place": Avg("mine__place", filter=stayed),
        "score": Avg(_number("score")),
    }
    rows: Any = changes.filter(~Exists(void)).annotate(mine=mine)
    return rows.values(variant=F("match__variant")).annotate(**counts, **_sums(columns)).order_by("-matches", "variant")


def _sums(columns: Sequence[Column]) -> dict[str, object]:
    """Sums over the matches in which both parts of a quotient were reported; of a plain column, its sum and matches."""
    sums: dict[str, object] = {}
    for index, column in enumerate(columns):
        stat = _number(column.stat)
        if not column.per:
            sums |= {f"n{index}": Sum(stat), f"d{index}": Count(stat)}
        else:
            by = _divisor(column.per)
            sums |= {f"n{index}": Sum(stat + 0.0 * by), f"d{index}": Sum(by + 0.0 * stat)}  # NULL if either is
    return sums


def _divisor(per: str) -> Any:
    if per == ROUNDS:
        return Cast(Coalesce("mine__rounds_played", "match__rounds"), FloatField())
    if per == MINUTES:
        return Coalesce("mine__seconds", "match__duration") / 60.0
    return _number(per)


def _number(stat: str) -> Cast:
    return Cast(KeyTextTransform(stat, "mine__stats"), FloatField())


def _statistics(columns: Sequence[Column], groups: Sequence[Mapping[str, Any]]) -> list[Statistic]:
    statistics = []
    for index, column in enumerate(columns):
        number, by = (sum(group[f"{part}{index}"] or 0.0 for group in groups) for part in "nd")
        if any(group[f"n{index}"] is not None for group in groups):
            form = replace(column, form="1 decimal") if column.form == NUMBER else column
            total = "" if column.per else text_of(column, number)
            statistics.append(Statistic(column.text, text_of(form, number / (by or 1.0)), total))
    return statistics


def _map(group: Mapping[str, Any]) -> MapStatistics:
    place, score = group["place"], group["score"]
    return MapStatistics(
        name=group["variant"],
        place="" if place is None else number_text(place, 1),
        score="" if score is None else number_text(score, 1),
        **{key: group[key] for key in ("matches", "won", "drawn", "lost", "left", "top_halves")},
    )
