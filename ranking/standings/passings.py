"""Keeps whom each player passed on the board by a match, and who passed them.

The ranks of a match rest on the board that was published last. So who lies between them is found right before the next
publication, when the board still stands.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Exists, F, Field, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat
from django.db.models.sql.compiler import SQLCompiler

from ranking.database.bulk_writes import insert_rows, new_row
from ranking.models import Event, Participation, Passing, Rating, Season
from ranking.rules.passings import Mover, Passed, passings_of
from ranking.standings.snapshots import find_newest, newest_table

MOST_KEPT = 5_000  # players of the matches between two publications, which takes a second; of more, none is kept

_RATING_TIME = dt.timedelta(minutes=2)  # that a match may take from its place in the history until it is written


class _Part(NamedTuple):
    """A participation of a match that no publication has followed yet. `move`: of the rank, None if unranked."""

    pk: int
    match: int
    move: int | None
    mover: Mover


class _Kept(NamedTuple):
    part: _Part
    passed: Passed
    passed_by: Passed


def keep_passings(season: Season) -> None:
    """Keep those of the matches that were rated since the last publication of the season, right before the next one.

    Nothing is kept of a match whose ranks rest on another board, because it was being rated while this one was
    published, or of very many matches. The matches of an import all happen when it begins: nothing is kept of those
    that are rated minutes later. Eight queries at most.
    """
    parts = _find_parts(season)
    table = newest_table(season.mode_id, season.pk) if parts else None
    if table is None:
        return
    kept = []
    for _, match in groupby(parts, key=lambda part: part.match):
        own = list(match)
        for part, both in zip(own, passings_of([one.mover for one in own], table), strict=True):
            if both is not None and part.move == both[1].count - both[0].count:
                kept.append(_Kept(part, *both))
    near = _find_near(season, [one.part.pk for one in kept if one.passed.others or one.passed_by.others])
    insert_rows(list(_rows(kept, near)), ignore_conflicts=True)


def _rows(kept: Iterable[_Kept], near: dict[int, list[tuple[int, int]]]) -> Iterator[Passing]:
    for part, passed, passed_by in kept:
        others = near.get(part.pk, [])
        yield new_row(
            Passing, participation_id=part.pk, passed=passed.count, passed_by=passed_by.count,
            passed_players=passed.closest(others if passed.others else (), Passing.MOST_NAMED),
            passed_by_players=passed_by.closest(others if passed_by.others else (), Passing.MOST_NAMED),
        )  # fmt: skip


def _find_parts(season: Season) -> list[_Part]:
    """All players of the season's matches since the last publication, by match; none if too many. Four queries."""
    newest = find_newest(season.mode_id, season.pk) if season.mode.ranked else None
    if newest is None:
        return []
    before = Event.objects.filter(mode=season.mode_id, happened_at__lt=newest.taken_at - _RATING_TIME).order_by("-id")
    begin = before.values_list("id", flat=True).first() or 0
    parts = Participation.objects.filter(match__season=season, match__event__gt=begin, passing=None)
    listed = Rating.objects.filter(mode=season.mode_id, season=season, player=OuterRef("player"), listed=True)
    if parts.order_by()[MOST_KEPT:].exists():
        return []
    rows = parts.order_by("match", "id").values_list(
        "pk", "match", F("rank_after") - F("rank_before"), "player", "rank_before", "display_before", "rank_after",
        "display_after", Subquery(listed.values("published_hundredths")[:1]),
    )  # fmt: skip
    return [_part_of(*row) for row in rows]


def _part_of(
    pk: int, match: int, move: int | None, player: int, rank_before: int | None, before: int | None,
    rank_after: int | None, after: int | None, published: int | None,
) -> _Part:  # fmt: skip
    ranked = (None if rank_before is None else before, None if rank_after is None else after)
    return _Part(pk, match, move, Mover(player, *ranked, published))


class _Texts(Subquery):
    """The texts that a subquery selects as `text`, in its order."""

    output_field = Field()  # whose values are as each database gives them

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, template="ARRAY(%(subquery)s)")

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, template="(SELECT json_group_array(text) FROM (%(subquery)s))")


def _find_near(season: Season, parts: list[int]) -> dict[int, list[tuple[int, int]]]:
    """By participation: who stands on the board between its two ratings and didn't play, the closest first.

    Each is an id and the published rating. Two queries.
    """
    played = Participation.objects.filter(match=OuterRef(OuterRef("match")), player=OuterRef("player"))
    listed = Rating.objects.filter(~Exists(played), mode=season.mode_id, season=season, listed=True)
    better = {"board_order__gte": OuterRef("display_after") * -1, "board_order__lt": OuterRef("display_before") * -1}
    worse = {"board_order__gte": OuterRef("display_before") * -1, "board_order__lt": OuterRef("display_after") * -1}
    near: dict[int, list[tuple[int, int]]] = {}
    for moved, bounds, direction in (
        (Q(display_after__gt=F("display_before")), better, ""),
        (Q(display_after__lt=F("display_before")), worse, "-"),
    ):
        near |= _closest(moved, listed.filter(**bounds), direction, parts)
    return near


def _closest(moved: Q, rows: QuerySet[Rating], direction: str, parts: list[int]) -> dict[int, list[tuple[int, int]]]:
    order = [direction + name for name in ("board_order", "published_reached_at", "id")]
    text = Concat(Cast("player", CharField()), Value(" "), Cast("published_hundredths", CharField()))
    texts = _Texts(rows.order_by(*order).annotate(text=text).values("text")[: Passing.MOST_NAMED])
    found = Participation.objects.filter(moved, pk__in=parts).order_by().annotate(near=texts)
    return {pk: _pairs_of(near) for pk, near in found.values_list("pk", "near")}


def _pairs_of(texts: str | list[str]) -> list[tuple[int, int]]:
    """The ids and ratings in the texts that _Texts selected."""
    pairs = [text.split(" ") for text in (json.loads(texts) if isinstance(texts, str) else texts)]
    return [(int(player), int(rating)) for player, rating in pairs]
