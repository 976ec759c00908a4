"""Keeps, with the first publication after a match, whom each of its players passed on the board and who passed them.

Everybody moves between two publications. A player's own ratings are those before and after the match, as their stored
standings have them; all others' are those of the two publications.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Field, OuterRef, Q, QuerySet, Subquery

from ranking.database.arrays import INTEGER, read_columns
from ranking.database.bulk_writes import insert_rows, new_row
from ranking.models import Event, Participation, Passing, Rating, Season, Snapshot
from ranking.rules.passings import Moves, Passed, count_between, passings_of
from ranking.rules.table_columns import TableColumns

MOST_KEPT = 10_000  # players of matches, and changed rows of ratings, in one publication; of more, none is kept

_RATING_TIME = dt.timedelta(minutes=2)  # that a match may take from its place in the history until it is written
_LOOKED_AT = 2 * Passing.MOST_NAMED  # who stands closest: some of them may have been there before


@dataclass(frozen=True, slots=True)
class Pending:
    """Players of matches that no publication has shown yet, by ids of their participations in the same order."""

    parts: list[int]
    movers: Moves

    def of(self, players: Any) -> Pending:
        """Those of these players: the row of whoever plays on may be locked, and waits for the next publication."""
        own = np.isin(self.movers.players, players)
        columns = (self.movers.players, self.movers.before, self.movers.after)
        return Pending(
            [pk for pk, kept in zip(self.parts, own, strict=True) if kept], Moves(*(column[own] for column in columns))
        )


@dataclass(frozen=True, slots=True)
class BoardRows:
    """The published ratings of some rows that are listed, by their ids in the same order."""

    ids: Any
    players: Any
    ratings: Any


@dataclass(frozen=True, slots=True)
class Passings:
    """What a publication leaves to find out who passed whom.

    `table`: everyone's ratings as they were published before; `before`, `after`: the rows that the publication changed.
    """

    season: Season
    pending: Pending
    table: TableColumns
    before: BoardRows
    after: BoardRows


def find_pending(season: Season) -> Pending | None:
    """The players of matches that were rated since the last publication, as far as they were ranked before and after.

    None if there are none, or too many. The matches of an import all happen when it begins: of those that are rated
    minutes later, nothing is kept. Two queries, the first of which finds where to begin.
    """
    if not season.mode.ranked:
        return None
    last = Snapshot.objects.filter(mode=season.mode_id, season=season, region="").order_by("-id")
    taken_at = last.values_list("taken_at", flat=True).first()
    if taken_at is None:
        return None
    events = Event.objects.filter(mode=season.mode_id, happened_at__lt=taken_at - _RATING_TIME).order_by("-id")
    begin = events.values_list("id", flat=True).first() or 0
    parts = Participation.objects.filter(match__season=season, match__event__gt=begin, passing=None).order_by()
    ranked = parts.filter(rank_before__isnull=False, rank_after__isnull=False, display_before__isnull=False)
    rows = list(ranked.values_list("pk", "player", "display_before", "display_after")[: MOST_KEPT + 1])
    if not rows or len(rows) > MOST_KEPT:
        return None
    pks, *columns = zip(*rows, strict=True)
    return Pending(list(pks), Moves(*(np.array(column, np.int64) for column in columns)))


def read_board_rows(ratings: QuerySet[Rating]) -> BoardRows:
    """Those of these ratings that are listed. One query."""
    columns = read_columns(ratings.filter(listed=True), id=INTEGER, player=INTEGER, published_hundredths=INTEGER)
    return BoardRows(*columns.values())


@transaction.atomic
def keep_passings(passings: Passings) -> None:
    """Write whom these players passed, and who passed them. Three queries."""
    before, after = passings.before, passings.after
    pending = passings.pending.of(np.union1d(before.players, after.players))
    _, one, other = np.intersect1d(before.ids, after.ids, assume_unique=True, return_indices=True)
    changed = Moves(before.players[one], before.ratings[one], after.ratings[other])
    gone = TableColumns.counted(before.ratings, np.ones(len(before.ratings), np.int64))
    unchanged = passings.table.moved(gone, TableColumns.counted([], []))
    rose, fell = count_between(pending.movers, unchanged)
    near = _find_near(
        passings.season, [pk for pk, up, down in zip(pending.parts, rose, fell, strict=True) if up or down]
    )
    moved = frozenset([*before.players.tolist(), *after.players.tolist()])

    def first(pk: int, passed: Passed) -> list[int]:
        return passed.first(near.get(pk, ()) if passed.between else (), moved, Passing.MOST_NAMED)

    rows = [
        new_row(
            Passing, participation_id=pk, passed=passed.count, passed_by=passed_by.count,
            passed_players=first(pk, passed), passed_by_players=first(pk, passed_by),
        )
        for pk, (passed, passed_by) in zip(
            pending.parts, passings_of(pending.movers, changed, rose, fell), strict=True
        )
    ]  # fmt: skip
    insert_rows(rows, ignore_conflicts=True)


class _Ids(Subquery):
    """The ids that a subquery selects as `number`, in its order."""

    output_field = Field()  # whose values are as each database gives them

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        return self.as_sql(compiler, connection, template="ARRAY(%(subquery)s)")

    def as_sqlite(self, compiler: Any, connection: Any) -> Any:
        return self.as_sql(compiler, connection, template="(SELECT json_group_array(number) FROM (%(subquery)s))")


def _find_near(season: Season, parts: Iterable[int]) -> dict[int, list[int]]:
    """The ids of those who stand between a player's two ratings now, the closest first, by the participation's id."""
    listed = Rating.objects.filter(mode=season.mode_id, season=season, listed=True)
    order = ("board_order", "published_reached_at", "id")
    better = {"board_order__gte": OuterRef("display_after") * -1, "board_order__lt": OuterRef("display_before") * -1}
    worse = {"board_order__gte": OuterRef("display_before") * -1, "board_order__lt": OuterRef("display_after") * -1}
    near: dict[int, list[int]] = {}
    for moved, bounds, direction in (
        (Q(display_after__gt=F("display_before")), better, ""),
        (Q(display_after__lt=F("display_before")), worse, "-"),
    ):
        rows = listed.filter(**bounds).order_by(*(direction + name for name in order)).values(number=F("player"))
        found = Participation.objects.filter(moved, pk__in=parts).order_by().annotate(near=_Ids(rows[:_LOOKED_AT]))
        for pk, ids in found.values_list("pk", "near"):
            near[pk] = json.loads(ids) if isinstance(ids, str) else ids
    return near
