"""Where the viewer stands in the ranked mode they played last, and between whom."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from leaderboards.boards.absence import Absence, absence_of
from leaderboards.boards.boards import Board
from leaderboards.boards.own import Rival, Target, find_rivals, find_target
from leaderboards.boards.published import Standing, published_with
from leaderboards.profiles.profiles import board_of_rating, find_ratings
from ranking.models import Player


@dataclass(frozen=True, slots=True)
class OwnCard:
    """`absence` says why there is no standing; `target` is the next rank above, if any."""

    board: Board
    rating: str
    standing: Standing | None
    absence: Absence | None
    target: Target | None = None
    rivals: list[Rival] = field(default_factory=list)


def find_own_card(viewer: Player, now: dt.datetime) -> OwnCard | None:
    """The viewer's card; None where they have played no ranked mode this season. Three queries; raises Superseded."""
    mine = next((rating for rating in find_ratings(viewer) if rating.mode.ranked), None)
    if mine is None:
        return None
    board = board_of_rating(mine)
    shown = published_with(mine, board.mode)
    if not mine.listed or shown is None:
        absence = absence_of(mine, viewer, board.mode, now)
        return OwnCard(board, board.rating_text(mine.display_hundredths), None, absence)
    mine.player = viewer
    value = mine.published_hundredths
    return OwnCard(
        board=board,
        rating=board.rating_text(value),
        standing=shown.standing(value),
        absence=None,
        target=find_target(board, shown.ranks, value),
        rivals=find_rivals(board, mine, shown),
    )
