"""The viewer's standing in the ranked mode that they played last, with the rows above and below."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from leaderboards.boards.absence import Absence, absence_of
from leaderboards.boards.boards import Board, board_of_rating
from leaderboards.boards.own import Target, find_target
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import Published, Standing, published_with
from leaderboards.boards.ratings import BoardPlayer
from leaderboards.boards.windows import neighbours_of
from leaderboards.profiles.profiles import find_ratings
from ranking.database.microseconds import microseconds_of
from ranking.models import Player, Season

EACH_WAY = 3


@dataclass(frozen=True, slots=True)
class Rival:
    """A row near the viewer's."""

    player: BoardPlayer
    rank: int
    rating: str
    own: bool


@dataclass(frozen=True, slots=True)
class OwnCard:
    """`absence` says why there is no standing; `target` is the next rank above, None at the top."""

    board: Board
    rating: str
    standing: Standing | None
    absence: Absence | None
    target: Target | None = None
    rivals: list[Rival] = field(default_factory=list)

    @property
    def ends_at(self) -> dt.datetime | None:
        """When the running season ends; None if no end is set, or if it has come."""
        season = self.board.season
        return season.ends_at if season.state == Season.RUNNING else None


def find_own_card(viewer: Player, now: dt.datetime) -> OwnCard | None:
    """Return the viewer's card; None if they played no ranked mode this season. Three queries; raise Superseded."""
    mine = next((rating for rating in find_ratings(viewer) if rating.mode.ranked), None)
    if mine is None:
        return None
    board = board_of_rating(mine)
    published = published_with(mine, board.mode)
    value, reached_at = mine.published_hundredths, mine.published_reached_at
    if not mine.listed or published is None or value is None or reached_at is None:
        absence = absence_of(mine, viewer, board.mode, now)
        return OwnCard(board, board.rating_text(mine.display_hundredths), None, absence)
    cursor = Cursor(-value, microseconds_of(reached_at), mine.pk)
    above, below = neighbours_of(board, cursor, published.snapshot_id, EACH_WAY, EACH_WAY)
    rows: list[tuple[BoardPlayer, int]] = [(row.player, row.published_hundredths) for row in (*reversed(above), *below)]
    rows.insert(len(above), (viewer, value))
    return OwnCard(
        board=board,
        rating=board.rating_text(value),
        standing=published.standing(value),
        absence=None,
        target=find_target(board, published.ranks, value),
        rivals=[_rival(board, player, hundredths, published, own=player is viewer) for player, hundredths in rows],
    )


def _rival(board: Board, player: BoardPlayer, hundredths: int, published: Published, *, own: bool) -> Rival:
    return Rival(player, published.ranks.rank_of(hundredths), board.rating_text(hundredths), own)
