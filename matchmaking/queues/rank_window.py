"""A ticket's rank window as its players see it: its percentiles now, when it widens, and how wide then. Pure.

It follows the matcher's own rule (matchmaking.matcher.widening): a party's window spans the windows of its members.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from matchmaking.matcher.widening import LADDER, widths_at

LOWEST, HIGHEST = 0.0, 100.0


@dataclass(frozen=True, slots=True)
class RankFilter:
    """The rank filter of a player on a ticket: the player's percentile, and half the width of the window around it."""

    percentile: float
    width: float
    strict: bool


@dataclass(frozen=True, slots=True)
class RankWindow:
    """The percentiles from `low` to `high`, both inclusive. `widens_in`: seconds until it is `wider`; None: never."""

    low: float
    high: float
    widens_in: float | None = field(default=None, repr=False)
    wider: RankWindow | None = None

    @property
    def lowest(self) -> int:
        """The lowest percentile of a player within it."""
        return max(1, math.ceil(self.low))

    @property
    def highest(self) -> int:
        return math.floor(self.high)


def window_of(filters: Sequence[RankFilter], waited: float, widen_every: float) -> RankWindow:
    """The window after `waited` seconds, cut off at the lowest and highest percentile."""
    low, high = _hull(filters, waited, widen_every)
    if all(each.strict for each in filters):
        return RankWindow(low, high)
    step = math.floor(waited / widen_every)
    for ahead in range(1, len(LADDER) + 2):
        # In the middle of the step, where rounding can't matter.
        wider = _hull(filters, (step + ahead + 0.5) * widen_every, widen_every)
        if wider != (low, high):
            return RankWindow(low, high, (step + ahead) * widen_every - waited, RankWindow(*wider))
    return RankWindow(low, high)


def _hull(filters: Sequence[RankFilter], waited: float, widen_every: float) -> tuple[float, float]:
    """The span of all members' windows after `waited` seconds."""
    percentile = np.array([each.percentile for each in filters], float)
    width = np.array([each.width for each in filters], float)
    strict = np.array([each.strict for each in filters], np.bool_)
    half = widths_at(width, strict, np.full(len(filters), waited), widen_every)
    return max(LOWEST, float((percentile - half).min())), min(HIGHEST, float((percentile + half).max()))
