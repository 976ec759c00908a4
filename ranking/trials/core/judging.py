"""Judges fitted parameters by matches that the search hasn't seen, with a block bootstrap of the gain.

Consecutive matches resemble each other, so whole blocks of them are drawn, not single ones. The pairs of teams of one
match are dependent; so a match counts as one gain, the mean of its pairs'.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ranking.systems.batch.columns import Floats

BLOCK = 20  # matches
RESAMPLES = 2_000
NEEDED = 400  # decided matches in each part
TYPICAL_SPREAD = 0.083  # of the gain in one match, between two versions of one system


@dataclass(frozen=True, slots=True)
class Gain:
    """The mean gain in log-loss per decided match, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        return self.low > 0


def gain_of(gains: Floats) -> Gain:
    """The gain with its interval, from each match's gain in the order of time; a last partial block is dropped."""
    count = len(gains) // BLOCK
    if not count:
        return Gain(float(gains.mean()) if len(gains) else 0.0, -np.inf, np.inf)
    blocks = gains[: count * BLOCK].reshape(count, BLOCK).mean(axis=1)
    drawn = np.random.default_rng(0).integers(0, count, (RESAMPLES, count))
    low, high = np.percentile(blocks[drawn].mean(axis=1), [2.5, 97.5])
    return Gain(float(gains.mean()), float(low), float(high))


def visible_gain(decided: int) -> float:
    """The least gain in log-loss that so many held-out matches can show."""
    return 1.96 * TYPICAL_SPREAD / sqrt(max(1, decided))
