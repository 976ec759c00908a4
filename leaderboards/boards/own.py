"""What a board says to the viewer: where they are, how far the next rank is, and which region they play in."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from leaderboards.boards.absence import Absence, absence_of, absent_from_region
from leaderboards.boards.boards import Board
from leaderboards.boards.last_ratings import with_last_ratings
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import Published, Superseded, with_snapshot
from leaderboards.boards.queries import ListedPlayer, rows_after, rows_before
from leaderboards.boards.rows import Row
from ranking.models import Player, Rating
from ranking.rules.rank_table import RankTable
from ranking.standings.regions import free_from, may_choose_region


@dataclass(frozen=True, slots=True)
class Target:
    """The next rank above, and how far it is."""

    rank: int
    points: str


@dataclass(frozen=True, slots=True)
class Own:
    """The viewer's row where the page doesn't show it, or why there is none; and their next target."""

    row: Row | None = None
    absence: Absence | None = None
    target: Target | None = None
    on_page: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The viewer's region, the one that they have chosen since, and whether and when they may choose."""

    region: str
    coming: str
    free: bool
    free_from: dt.datetime | None


def find_rating(board: Board, viewer: Player) -> Rating | None:
    """The viewer's rating in a board's mode and season."""
    return Rating.objects.filter(player=viewer, mode=board.mode, season=board.season).first()


def find_own(board: Board, viewer: Player, shown: Published | None) -> Any:
    """The viewer's rating as it was published in the same snapshot, if any; raises Superseded."""
    ratings = Rating.objects.filter(player=viewer, mode=board.mode, season=board.season)
    ratings = with_snapshot(ratings, mode=board.mode, season=board.season)
    mine = with_last_ratings(ratings, *board.ledger).select_related("player").first()
    if mine is not None and shown is not None and mine.snapshot_id != shown.snapshot_id:
        raise Superseded
    return mine


def find_absence(mine: Rating | None, viewer: Player, board: Board, now: dt.datetime) -> Absence | None:
    """Why the viewer isn't on this board."""
    absence = absence_of(mine, viewer, board.mode, now)
    if absence is None and mine is not None and board.region not in ("", mine.region):
        return absent_from_region(mine)
    return absence


def find_target(board: Board, ranks: RankTable, value: int) -> Target | None:
    """The next rank above a rating on a board; None at the top, and where ratings aren't shown."""
    above = ranks.find_next_above(value) if board.mode.shows_rating else None
    return None if above is None else Target(ranks.rank_of(above), board.rating_text(above - value))


def find_choice(mine: Rating, now: dt.datetime) -> Choice:
    coming = "" if mine.chosen_region == mine.region else mine.chosen_region
    return Choice(mine.region, coming, may_choose_region(mine, now), free_from(mine))


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
