"""Fifty rows of a board from wherever somebody asks, each time by one search of its index."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from leaderboards.boards import Board, rows_of
from leaderboards.cursors import Cursor
from leaderboards.keyset import AFTER, BEFORE, FROM, row_compared
from leaderboards.positions import After, Around, AtRank, BadPosition, Before, Position, Top
from leaderboards.sparks import with_last_ratings
from ranking.models import Rating
from ranking.snapshots import newest_table

PAGE = 50
ABOVE = 5  # rows above somebody whom the page is around: few enough to have them in sight


@dataclass(frozen=True, slots=True)
class Window:
    """Ratings in board order, and whether there are more on either side."""

    ratings: list[Any] = field(default_factory=list)
    more_before: bool = False
    more_after: bool = False

    @property
    def previous(self) -> Cursor | None:
        return cursor_of(self.ratings[0]) if self.more_before and self.ratings else None

    @property
    def next(self) -> Cursor | None:
        return cursor_of(self.ratings[-1]) if self.more_after and self.ratings else None


def cursor_of(rating: Rating) -> Cursor:
    assert rating.published_reached_at is not None  # noqa: S101 - listed rows are published
    return Cursor(rating.board_order, rating.published_reached_at, rating.pk)


def find_window(board: Board, position: Position) -> Window:
    """The rows at a position; raises BadPosition where there is no such player or rank."""
    rows = with_last_ratings(rows_of(board), board)
    match position:
        case After(cursor):
            return _forward(rows.filter(row_compared(AFTER, cursor)), more_before=True)
        case Before(cursor):
            return _backward(rows, cursor)
        case AtRank(rank):
            return _at_rank(rows, board, rank)
        case Around(key):
            return _around(rows, board, key)
        case Top():
            return _forward(rows, more_before=False)


def _forward(rows: QuerySet[Rating, Any], *, more_before: bool) -> Window:
    found = list(rows[: PAGE + 1])
    return Window(found[:PAGE], more_before, len(found) > PAGE)


def _backward(rows: QuerySet[Rating, Any], cursor: Cursor) -> Window:
    found = list(rows.filter(row_compared(BEFORE, cursor)).reverse()[: PAGE + 1])
    if len(found) <= PAGE:  # the first page is always a full one
        return _forward(rows, more_before=False)
    return Window(found[:PAGE][::-1], more_before=True, more_after=True)


def _at_rank(rows: QuerySet[Rating, Any], board: Board, rank: int) -> Window:
    table = newest_table(board.mode.pk, board.season.pk, board.region)
    if not table:
        return _forward(rows, more_before=False)
    if rank > len(table):
        raise BadPosition(f"There is no rank {rank:,}: {len(table):,} players are listed.")
    value = table.value_at_rank(rank)
    first = table.rank_of(value) == 1
    return _forward(rows if first else rows.filter(board_order__gte=-value), more_before=not first)


def _around(rows: QuerySet[Rating, Any], board: Board, key: str) -> Window:
    own = rows_of(board).filter(player__key=key).first() or rows_of(board).filter(player__aliases__key=key).first()
    if own is None:
        raise BadPosition("That player isn't on this board.")
    above = list(rows_of(board).filter(row_compared(BEFORE, cursor_of(own))).reverse()[: ABOVE + 1])
    if len(above) <= ABOVE:
        return _forward(rows, more_before=False)
    return _forward(rows.filter(row_compared(FROM, cursor_of(above[ABOVE - 1]))), more_before=True)
