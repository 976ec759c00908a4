"""A ticket's rank window as its players see it: where it reaches now, when it widens, and to what. Pure.

The matcher's own rule (`matcher.widening`): a party's window is the hull of its members'.
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
    """What one player of a ticket asked for: their percentile, and half the width of the window around it."""

    percentile: float
    width: float
    strict: bool


@dataclass(frozen=True, slots=True)
class RankWindow:
    """From percentile `low` to `high`, both inclusive. `widens_in` seconds until it is `wider`; None: it stays."""

    low: float
    high: float
    widens_in: float | None = field(default=None, repr=False)
    wider: RankWindow | None = None

    @property
    def everyone(self) -> bool:
        """Whether nobody is outside."""
        return self.low <= LOWEST + 1 and self.high >= HIGHEST


def window_of(filters: Sequence[RankFilter], waited: float, widen_every: float) -> RankWindow:
    """The window after `waited` seconds, drawn as far as percentiles go."""
    low, high = _hull(filters, waited, widen_every)
    if all(said.strict for said in filters):
        return RankWindow(low, high)
    step = math.floor(waited / widen_every)
    for ahead in range(1, len(LADDER) + 2):
        wider = _hull(filters, (step + ahead + 0.5) * widen_every, widen_every)  # amid the step, clear of rounding
        if wider != (low, high):
            return RankWindow(low, high, (step + ahead) * widen_every - waited, RankWindow(*wider))
    return RankWindow(low, high)


def _hull(filters: Sequence[RankFilter], waited: float, widen_every: float) -> tuple[float, float]:
    rated = np.array([said.percentile for said in filters], float)
    width = np.array([said.width for said in filters], float)
    strict = np.array([said.strict for said in filters], np.bool_)
    half = widths_at(width, strict, np.full(len(filters), waited), widen_every)
    return max(LOWEST, float((rated - half).min())), min(HIGHEST, float((rated + half).max()))
