"""Consecutive rows of a board at any position, found by one search of the board's index.

Rows are light tuples. Each comes together with the id of the newest snapshot, in one prepared statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.db.models import BigIntegerField, CharField, DateTimeField, Exists, QuerySet

from leaderboards.boards.boards import ORDER, Board
from leaderboards.boards.last_changes import with_last_changes
from leaderboards.boards.positions import (
    After,
    Around,
    AtRank,
    BadPosition,
    Before,
    Cursor,
    FromPlace,
    Position,
    Top,
)
from leaderboards.boards.published import Superseded, with_snapshot
from leaderboards.boards.rows import ListedPlayer, ListedRating
from ranking.database.keyset import RowCompared
from ranking.database.microseconds import Microseconds
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Rating
from ranking.players.players import find_player
from ranking.seasons.strikes import strike_in_force
from ranking.standings.snapshots import newest_table
from ranking.wording.translation import gettext, ngettext, number_text

PAGE, LARGEST_PAGE = 50, 100
DEEPEST = 1_000  # rows of one rating at most that are passed over to begin a page among them
ABOVE = 5  # rows above the player whom a page is around: few, so that the player's own row is in sight

_PLAYER = tuple(f"player__{name}" for name in ListedPlayer._fields)
_RATING = tuple(name for name in ListedRating._fields if name != "player" and name not in ListedRating._field_defaults)
_CURSOR = (
    Placeholder("board_order", BigIntegerField()),
    Placeholder("reached_at", DateTimeField()),
    Placeholder("id", BigIntegerField()),
)
_Rows = QuerySet[Rating, Any]


@dataclass(frozen=True, slots=True)
class Window:
    """Ratings in board order, and whether the board has more on either side.

    `place`: that of the first row, counted from 1; None if it isn't known.
    """

    ratings: list[ListedRating] = field(default_factory=list)
    more_before: bool = False
    more_after: bool = False
    place: int | None = None

    @property
    def previous(self) -> Cursor | None:
        return self.ratings[0].cursor if self.more_before and self.ratings else None

    @property
    def next(self) -> Cursor | None:
        return self.ratings[-1].cursor if self.more_after and self.ratings else None


def find_window(board: Board, position: Position, *, size: int = PAGE, deepest: int = DEEPEST) -> Window:
    """Return the rows at a position, `size` at most; raise BadPosition if there is no such player or rank, and
    Superseded.

    A page from a place passes over the equals before it, `deepest` of them at most, so that no page costs more the
    deeper it is; one that is deeper among equals begins with the first of them.
    """
    match position:
        case After(cursor):
            return _forward(rows_after(board, cursor, _most(size)), size, more_before=True)
        case Before(cursor):
            return _backward(board, cursor, size)
        case AtRank(rank):
            return _at_rank(board, rank, size)
        case FromPlace(place):
            return _from_place(board, place, size, deepest)
        case Around(key):
            return _around(board, key, size)
        case Top():
            return _top(board, size)


def _most(size: int) -> int:
    """How many rows to read for a page: one of two numbers, because a query is prepared for each."""
    return (PAGE if size <= PAGE else LARGEST_PAGE) + 1


def above_of(size: int) -> int:
    """How many rows stand above the player whom a page of this size is around."""
    return min(ABOVE, (size - 1) // 2)


def _top(board: Board, size: int) -> Window:
    return _forward(first_rows(board, _most(size)), size, more_before=False, place=1)


def _forward(rows: list[ListedRating], size: int, *, more_before: bool, place: int | None = None) -> Window:
    return Window(rows[:size], more_before, len(rows) > size, place)


def _backward(board: Board, cursor: Cursor, size: int) -> Window:
    rows = rows_before(board, cursor, _most(size))
    if len(rows) <= size:  # the first page is always a full one
        return _top(board, size)
    return Window(rows[:size][::-1], more_before=True, more_after=True)


def _at_rank(board: Board, rank: int, size: int) -> Window:
    table = newest_table(board.mode.pk, board.season.pk, board.region)
    if not table:
        return _top(board, size)
    if rank > len(table):
        words = ngettext(
            "There is no rank %(rank)s: %(listed)s player is listed.",
            "There is no rank %(rank)s: %(listed)s players are listed.",
            len(table),
        )
        raise BadPosition(words % {"rank": number_text(rank), "listed": number_text(len(table))})
    value = table.value_at_rank(rank)
    first = table.rank_of(value)
    if first == 1:
        return _top(board, size)
    rows = _read(board, _from_rating, _most(size), board_order=-value)
    return _forward(rows, size, more_before=True, place=first)


def _from_place(board: Board, place: int, size: int, deepest: int) -> Window:
    table = newest_table(board.mode.pk, board.season.pk, board.region)
    if place == 1 or not table:
        return _top(board, size)
    if place > len(table):
        raise BadPosition(gettext("That page doesn't exist (any more)."))
    value = table.value_at_rank(place)
    equals_before = place - table.rank_of(value)
    cursor = _find_last_passed(board, -value, equals_before) if 0 < equals_before <= deepest else None
    if cursor is None:  # the first of the equals, too deep among them, or a newer board than the table's
        return _at_rank(board, place, size)
    return _forward(rows_after(board, cursor, _most(size)), size, more_before=True, place=place)


def _find_last_passed(board: Board, board_order: int, number: int) -> Cursor | None:
    """Return the cursor of the row with this number among those of one rating."""
    region = {"region": board.region} if board.region else {}
    equals = Rating.objects.filter(
        mode=board.mode, season=board.season, listed=True, board_order=board_order, **region
    ).annotate(reached=Microseconds("published_reached_at"))
    row = equals.order_by(*ORDER).values_list("board_order", "reached", "id")[number - 1 : number].first()
    return None if row is None else Cursor(*row)


def _around(board: Board, key: str, size: int) -> Window:
    own = _read(board, _of_player, 1, key=key)
    if not own and (player := find_player(key)) is not None and player.key != key:  # merged into another player
        own = _read(board, _of_player, 1, key=player.key)
    if not own:
        raise BadPosition(gettext("That player isn't on this board."))
    most_above = above_of(size)
    above, below = neighbours_of(board, own[0].cursor, own[0].snapshot_id, ABOVE + 1, _most(size) - 1 - ABOVE)
    if len(above) <= most_above:
        return _top(board, size)
    return _forward([*reversed(above[:most_above]), own[0], *below], size, more_before=True)


def neighbours_of(
    board: Board, cursor: Cursor, snapshot_id: int | None, above: int, below: int
) -> tuple[list[ListedRating], list[ListedRating]]:
    """Return the nearest rows above and below a row of a snapshot, the nearest first; raise Superseded."""
    before, after = rows_before(board, cursor, above), rows_after(board, cursor, below)
    if any(row.snapshot_id != snapshot_id for row in (*before, *after)):
        raise Superseded
    return before, after


def first_rows(board: Board, most: int) -> list[ListedRating]:
    """Return the best rows, the best first."""
    return _read(board, _all, most)


def rows_after(board: Board, cursor: Cursor, most: int) -> list[ListedRating]:
    return _read(board, _after, most, board_order=cursor.board_order, reached_at=cursor.reached_at, id=cursor.id)


def rows_before(board: Board, cursor: Cursor, most: int) -> list[ListedRating]:
    """Return the rows before a cursor, the nearest first."""
    return _read(board, _before, most, board_order=cursor.board_order, reached_at=cursor.reached_at, id=cursor.id)


def _read(board: Board, narrow: Callable[[_Rows], _Rows], most: int, **values: Any) -> list[ListedRating]:
    more = (*(("regional_id",) if board.region else ()), *(("struck",) if board.over else ()))
    rows = _query(narrow, most, more).rows(
        mode=board.mode.pk, season=board.season.pk, generation=board.mode.generation, region=board.region, **values
    )
    size, end = len(_PLAYER), len(_PLAYER) + len(_RATING)
    listed = [
        ListedRating(ListedPlayer(*row[:size]), *row[size:end], **dict(zip(more, row[end:], strict=True)))
        for row in rows
    ]
    if not board.over:
        return listed
    # Nobody is unlisted from an archived board, so rows of players who were hidden since have no name.
    return [row._replace(player=row.player.nameless()) if row.player.hidden_at else row for row in listed]


@cache
def _query(narrow: Callable[[_Rows], _Rows], most: int, more: tuple[str, ...]) -> Prepared:
    """`more`: the columns that not all boards have, those of a region's board and of an archived one."""
    integer = BigIntegerField()
    mode, season = Placeholder("mode", integer), Placeholder("season", integer)
    regional = "regional_id" in more
    region = Placeholder("region", CharField()) if regional else ""
    rows = Rating.objects.filter(mode=mode, season=season, listed=True, **({"region": region} if regional else {}))
    rows = with_snapshot(rows.annotate(reached=Microseconds("published_reached_at")), region, mode=mode, season=season)
    if "struck" in more:
        rows = rows.annotate(struck=Exists(strike_in_force()))
    rows = narrow(with_last_changes(rows, mode, season, Placeholder("generation", integer)).order_by(*ORDER))
    return prepare(rows.values_list(*_PLAYER, *_RATING, *more)[:most])


def _all(rows: _Rows) -> _Rows:
    return rows


def _after(rows: _Rows) -> _Rows:
    return rows.filter(RowCompared(">", ORDER, _CURSOR))


def _before(rows: _Rows) -> _Rows:
    return rows.filter(RowCompared("<", ORDER, _CURSOR)).reverse()


def _from_rating(rows: _Rows) -> _Rows:
    return rows.filter(board_order__gte=_CURSOR[0])


def _of_player(rows: _Rows) -> _Rows:
    return rows.filter(player__key=Placeholder("key", CharField()))
