"""Fifty rows of a board from wherever somebody asks, each time by one search of its index."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboards.boards.boards import Board
from leaderboards.boards.positions import After, Around, AtRank, BadPosition, Before, Cursor, Position, Top
from leaderboards.boards.queries import Listed, first_rows, rows_after, rows_around, rows_before, rows_from_rating
from ranking.players.players import find_player
from ranking.standings.snapshots import newest_table

PAGE = 50
ABOVE = 5  # rows above somebody whom the page is around: few enough to have them in sight


@dataclass(frozen=True, slots=True)
class Window:
    """Ratings in board order, and whether there are more on either side."""

    ratings: list[Listed] = field(default_factory=list)
    more_before: bool = False
    more_after: bool = False

    @property
    def previous(self) -> Cursor | None:
        return self.ratings[0].cursor if self.more_before and self.ratings else None

    @property
    def next(self) -> Cursor | None:
        return self.ratings[-1].cursor if self.more_after and self.ratings else None


def find_window(board: Board, position: Position) -> Window:
    """The rows at a position; raises BadPosition where there is no such player or rank, and Superseded."""
    match position:
        case After(cursor):
            return _forward(rows_after(board, cursor, PAGE + 1), more_before=True)
        case Before(cursor):
            return _backward(board, cursor)
        case AtRank(rank):
            return _at_rank(board, rank)
        case Around(key):
            return _around(board, key)
        case Top():
            return _top(board)


def _top(board: Board) -> Window:
    return _forward(first_rows(board, PAGE + 1), more_before=False)


def _forward(found: list[Listed], *, more_before: bool) -> Window:
    return Window(found[:PAGE], more_before, len(found) > PAGE)


def _backward(board: Board, cursor: Cursor) -> Window:
    found = rows_before(board, cursor, PAGE + 1)
    if len(found) <= PAGE:  # the first page is always a full one
        return _top(board)
    return Window(found[:PAGE][::-1], more_before=True, more_after=True)


def _at_rank(board: Board, rank: int) -> Window:
    table = newest_table(board.mode.pk, board.season.pk, board.region)
    if not table:
        return _top(board)
    if rank > len(table):
        raise BadPosition(f"There is no rank {rank:,}: {len(table):,} players are listed.")
    value = table.value_at_rank(rank)
    if table.rank_of(value) == 1:
        return _top(board)
    return _forward(rows_from_rating(board, value, PAGE + 1), more_before=True)


def _around(board: Board, key: str) -> Window:
    above, below = _both_sides(board, key)
    if not below and (player := find_player(key)) is not None and player.key != key:  # they were merged
        above, below = _both_sides(board, player.key)
    if not below:
        raise BadPosition("That player isn't on this board.")
    if len(above) <= ABOVE:
        return _top(board)
    return _forward([*reversed(above[:ABOVE]), *below], more_before=True)


def _both_sides(board: Board, key: str) -> tuple[list[Listed], list[Listed]]:
    return rows_around(board, key, ABOVE + 1, PAGE - ABOVE + 1)
