"""Who crossed a bound since they were last looked at: whole arrays of players against one published board. Pure.

Told is what people are glad of, or want to know: a tier or division higher than any before in the season, a narrower
share of the board than any before, and a rank that moved far since the day began. Falling out of a tier isn't told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranking.rules.rank_table import RankTable
from ranking.rules.tiers import COLOURS, DIVISIONS, NAMED, Tier

Ints = NDArray[np.int64]

TOPS = (1, 5, 10)  # shares of the board, in per cent
NOWHERE = 101  # in no share worth telling
_LEAST_MOVE, _MOVE_SHARE = 3, 50  # ranks; one fiftieth of the board
_TOP_OF = np.array([next((top for top in TOPS if share <= top), NOWHERE) for share in range(101)])


@dataclass(frozen=True, slots=True)
class Standings:
    """Arrays with an item a player; ranks and percentiles are the snapshot's."""

    rank: Ints
    percentile: Ints
    level: Ints  # see Ladder
    top: Ints  # the narrowest of TOPS, or NOWHERE


@dataclass(frozen=True, slots=True)
class Ladder:
    """A mode's tiers by percentile. A division of a named tier is a level of its own; numbered tiers change level by
    colour."""

    tiers: tuple[Tier, ...]  # of percentiles 1 to 100
    scheme: str

    def tier_at(self, percentile: int) -> Tier:
        return self.tiers[percentile - 1]

    def levels(self) -> Ints:
        """Of percentiles 0 to 100."""
        named = self.scheme == NAMED
        return np.array([0, *(tier.index if named else COLOURS.index(tier.colour) for tier in self.tiers)])

    def grades(self, levels: Ints) -> Ints:
        """Levels without their divisions."""
        return levels // len(DIVISIONS) if self.scheme == NAMED else levels


def standings_of(values: Ints, table: RankTable, ladder: Ladder) -> Standings:
    """How players with these published ratings stand, as `table.standing` would say."""
    rank, percentile = _ranked(values, table)
    share = np.maximum(1, -(-100 * rank // max(1, len(table))))
    return Standings(rank, percentile, ladder.levels()[percentile], _TOP_OF[share])


def ranks_gained(before: Ints, table_before: RankTable, rank: Ints, listed: int) -> Ints:
    """Ranks gained since `before`, the ratings when the day began; 0 where it isn't far enough to be told."""
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
