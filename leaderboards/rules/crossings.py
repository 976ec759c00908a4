"""Finds players who entered a new tier, a top percentage or moved far in rank since the last check.

Players are told of three things: a tier or division higher than any before in the season, a smaller top percentage of
the board than any before, and a rank that moved far since the day began. They aren't told that they fell out of a tier.
Arrays of players are compared with one published board.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import COLOURS, DIVISIONS, NAMED, Tier

Ints = NDArray[np.int64]

TOPS = (1, 5, 10)  # top percentages of the board
NOWHERE = 101  # in none of TOPS
_LEAST_MOVE, _MOVE_SHARE = 3, 50  # least move: 3 ranks, or 1/50 of the board if that is more
_TOP_OF = np.array([next((top for top in TOPS if share <= top), NOWHERE) for share in range(101)])


@dataclass(frozen=True, slots=True)
class Standings:
    """Arrays by player; ranks and percentiles are those of the snapshot."""

    rank: Ints
    percentile: Ints
    level: Ints  # see `BoardLadder`
    top: Ints  # the smallest of TOPS, or NOWHERE


@dataclass(frozen=True, slots=True)
class BoardLadder:
    """A mode's tiers by percentile.

    Each division of a named tier is a level of its own; numbered tiers of one colour share a level.
    """

    tiers: tuple[Tier, ...]  # of percentiles 1 to 100
    scheme: str

    def tier_at(self, percentile: int) -> Tier:
        return self.tiers[percentile - 1]

    def levels(self) -> Ints:
        """The levels of the percentiles 0 to 100."""
        named = self.scheme == NAMED
        return np.array([0, *(tier.index if named else COLOURS.index(tier.colour) for tier in self.tiers)])

    def grades(self, levels: Ints) -> Ints:
        """Levels without their divisions."""
        return levels // len(DIVISIONS) if self.scheme == NAMED else levels


def standings_of(values: Ints, table: RankTable, ladder: BoardLadder) -> Standings:
    """The standings of players with these published ratings, as `table.standing` gives them."""
    rank, percentile = _ranked(values, table)
    share = np.maximum(1, -(-100 * rank // max(1, len(table))))
    return Standings(rank, percentile, ladder.levels()[percentile], _TOP_OF[share])


def ranks_gained(before: Ints, table_before: RankTable, rank: Ints, listed: int) -> Ints:
    """Ranks gained since the day began, with the ratings `before`; 0 if the move is too small to tell."""
    gained = _ranked(before, table_before)[0] - rank
    return np.where(np.abs(gained) >= max(_LEAST_MOVE, -(-listed // _MOVE_SHARE)), gained, 0)


def _ranked(values: Ints, table: RankTable) -> tuple[Ints, Ints]:
    """Ranks and percentiles, by the rules of ranking.rules.rank_table."""
    held, counts = (np.array(column, np.int64) for column in zip(*table.rows() or ((0, 0),), strict=True))
    below = np.concatenate([[0], np.cumsum(counts)])
    lower = below[np.searchsorted(held, values, "left")]
    higher = below[-1] - below[np.searchsorted(held, values, "right")]
    others = lower + higher
    percentile = np.where(others == 0, 100, np.minimum(100, 1 + 100 * lower // np.maximum(1, others)))
    return higher + 1, percentile
