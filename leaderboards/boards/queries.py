"""Listed ratings as boards show them: some rows in a row, with the snapshot in force, in one statement."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, CharField, DateTimeField, QuerySet, Subquery

from leaderboards.boards.boards import ORDER, Board
from leaderboards.boards.last_ratings import with_last_ratings
from leaderboards.boards.microseconds import Microseconds
from leaderboards.boards.positions import Cursor, cursor_of
from leaderboards.boards.published import Superseded, with_snapshot
from ranking.database.keyset import RowCompared
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Player, Rating, Sight

_PLAYER = ("id", "key", "name", "hides_matches")
_RATING = (
    "id", "player_id", "display_hundredths", "board_order", "published_hundredths", "reached", "published_on",
    "published_day_ago", "region_chosen_at", "wins", "draws", "losses", "leaves",
)  # fmt: skip
COLUMNS = (*(f"player__{name}" for name in _PLAYER), *_RATING, "befores", "snapshot_id", "snapshot_taken_at")
_CURSOR = (
    Placeholder("board_order", BigIntegerField()),
    Placeholder("reached_at", DateTimeField()),
    Placeholder("id", BigIntegerField()),
)


class ListedPlayer(NamedTuple):
    """What boards show of a player, under the names of `Player`."""

    pk: int
    key: str
    name: str
    hides_matches: bool

    def shows_matches_to(self, sight: Sight) -> bool:
        return Player.shows_matches_to(self, sight)  # type: ignore[arg-type]  # it has all that this reads


class Listed(NamedTuple):
    """What boards show of a listed rating, under the names of `Rating`.

    `reached` is `published_reached_at`, and both moments are microseconds since 1970.
    """

    player: ListedPlayer
    pk: int
    player_id: int
    display_hundredths: int
    board_order: int
    published_hundredths: int
    reached: int
    published_on: dt.date
    published_day_ago: int | None
    region_chosen_at: dt.datetime | None
    wins: int
    draws: int
    losses: int
    leaves: int
    befores: str | None
    snapshot_id: int | None
    snapshot_taken_at: int | None
    regional_id: int | None = None  # on a region's board

    @property
    def listed(self) -> bool:
        return True

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses + self.leaves

    @property
    def cursor(self) -> Cursor:
        return cursor_of(self.board_order, self.reached, self.pk)


Narrow = Callable[[QuerySet[Rating, Any]], QuerySet[Rating, Any]]


def first_rows(board: Board, most: int) -> list[Listed]:
    """The best, best first."""
    return _read(board, _all, most)


def rows_after(board: Board, cursor: Cursor, most: int) -> list[Listed]:
    return _read(board, _after, most, **_said(cursor))


def rows_before(board: Board, cursor: Cursor, most: int) -> list[Listed]:
    """The nearest ones, nearest first."""
    return _read(board, _before, most, **_said(cursor))


def rows_around(board: Board, key: str, before: int, since: int) -> tuple[list[Listed], list[Listed]]:
    """At most so many rows before that of the player with this key, nearest first, and so many from it on.

    Nothing where there is no such row; raises Superseded.
    """
    above, below = _read(board, _above, before, key=key), _read(board, _from, since, key=key)
    if len({row.snapshot_id for row in (*above, *below)}) > 1:
        raise Superseded
    return above, below


def rows_from_rating(board: Board, hundredths: int, most: int) -> list[Listed]:
    """From the best with this published rating on."""
    return _read(board, _from_rating, most, board_order=-hundredths)


def _read(board: Board, narrow: Narrow, most: int, **given: Any) -> list[Listed]:
    query = _query(narrow, most, bool(board.region))
    rows = query.rows(
        mode=board.mode.pk, season=board.season.pk, generation=board.mode.generation, region=board.region, **given
    )
    return [listed_row(row) for row in rows]


def listed_row(row: Sequence[Any]) -> Listed:
    """The row of the values of COLUMNS."""
    size = len(_PLAYER)
    return Listed(ListedPlayer(*row[:size]), *row[size:])


def with_columns(ratings: QuerySet[Rating, Any], mode: Any, season: Any, generation: Any, region: Any = "") -> Any:
    """These ratings with what COLUMNS names beside their own; all of one mode and season."""
    found = with_snapshot(ratings, region, mode=mode, season=season)
    return with_last_ratings(found.annotate(reached=Microseconds("published_reached_at")), mode, season, generation)


@cache
def _query(narrow: Narrow, most: int, regional: bool) -> Prepared:
    whole = BigIntegerField()
    mode, season = Placeholder("mode", whole), Placeholder("season", whole)
    region = Placeholder("region", CharField())
    rows = Rating.objects.filter(mode=mode, season=season, listed=True, **({"region": region} if regional else {}))
    rows = with_columns(rows, mode, season, Placeholder("generation", whole), region if regional else "")
    rows = narrow(rows.order_by(*ORDER))
    return prepare(rows.values_list(*COLUMNS, *(["regional_id"] if regional else []))[:most])


def _said(cursor: Cursor) -> dict[str, Any]:
    return {"board_order": cursor.board_order, "reached_at": cursor.reached_at, "id": cursor.id}


def _all(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows


def _after(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows.filter(RowCompared(">", ORDER, _CURSOR))


def _before(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows.filter(RowCompared("<", ORDER, _CURSOR)).reverse()


def _from_rating(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows.filter(board_order__gte=_CURSOR[0])


def _above(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows.filter(RowCompared("<", ORDER, _cursor_in(rows))).reverse()


def _from(rows: QuerySet[Rating, Any]) -> QuerySet[Rating, Any]:
    return rows.filter(RowCompared(">=", ORDER, _cursor_in(rows)))


def _cursor_in(rows: QuerySet[Rating, Any]) -> list[Subquery]:
    """Where the player with a key is among these."""
    own = rows.filter(player__key=Placeholder("key", CharField())).order_by()
    return [Subquery(own.values(name)[:1]) for name in ORDER]
