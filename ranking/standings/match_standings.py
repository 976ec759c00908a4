"""Where the players of a match or forfeit stand at the moment: stored with it as the standings before and after it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ranking.models import Forfeit, Mode, Participation, Player
from ranking.rules.live_standings import live_standings
from ranking.rules.rank_table import RankTable
from ranking.standings.placement import is_placed


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """A mode's board as it is published while matches are rated; `table` None: it never was."""

    mode: Mode
    table: RankTable | None
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class MatchStanding:
    """A player's standing at a moment, and the display rating in hundredths that it belongs to."""

    rank: int
    percentile: int
    listed: int
    display: int


def standings_now(board: PublishedBoard, entrants: Sequence[tuple[Player, Any]]) -> list[MatchStanding | None]:
    """The standing of everybody in a match at the moment; None for those who aren't ranked. No query.

    `entrants`: all players of the match with their locked ratings, in any order.
    """
    if board.table is None:
        return [None] * len(entrants)
    published = [rating.published_hundredths for _, rating in entrants if rating.listed]
    live = [rating.display_hundredths if _is_ranked(player, rating, board) else None for player, rating in entrants]
    return [
        None
        if standing is None
        else MatchStanding(standing.rank, standing.percentile, standing.listed, rating.display_hundredths)
        for standing, (_, rating) in zip(live_standings(board.table, published, live), entrants, strict=True)
    ]


def _is_ranked(player: Player, rating: Any, board: PublishedBoard) -> bool:
    placed = is_placed(rating, board.mode)
    return placed and rating.is_active(board.now) and not rating.banned and player.hidden_at is None


def note_standing(row: Participation | Forfeit, when: str, standing: MatchStanding | None) -> None:
    """Set the columns of the standing `when`: "before" or "after"."""
    for name in ("rank", "percentile", "listed", "display"):
        setattr(row, f"{name}_{when}", None if standing is None else getattr(standing, name))
