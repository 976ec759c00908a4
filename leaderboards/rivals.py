"""Those just above and below somebody on a board: who is to be passed, and who is coming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Superseded
from leaderboards.boards.queries import ListedPlayer, rows_after, rows_before
from leaderboards.cursors import Cursor
from ranking.models import Player

EACH_WAY = 3


@dataclass(frozen=True, slots=True)
class Rival:
    player: Player | ListedPlayer
    rank: int
    rating: str
    own: bool


def find_rivals(board: Board, mine: Any, shown: Published) -> list[Rival]:
    """Three above a listed rating, itself, three below, in board order: two queries; raises Superseded."""
    here = Cursor(mine.board_order, mine.published_reached_at, mine.pk)
    above, below = rows_before(board, here, EACH_WAY), rows_after(board, here, EACH_WAY)
    if any(row.snapshot_id != shown.snapshot_id for row in (*above, *below)):
        raise Superseded
    return [_rival(board, row, shown, own=row is mine) for row in (*reversed(above), mine, *below)]


def _rival(board: Board, row: Any, shown: Published, *, own: bool) -> Rival:
    value = row.published_hundredths
    return Rival(row.player, shown.ranks.rank_of(value), board.rating_text(value), own)
