"""Stretches of successive steps that weigh most: the scan that every kind uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_NOISE = 1e-6  # of sums of rounded numbers


@dataclass(frozen=True, slots=True)
class Stretches:
    """The best stretch of each segment: its segment, its weight, and the rows [first, last] that it covers."""

    segment: Ints
    score: Floats
    first: Ints
    last: Ints


def best_stretches(segment: Ints, weight: Floats) -> Stretches:
    """Of rows sorted by segment, each segment's stretch of successive rows with the largest sum.

    Kadane's maximal subarray for all segments at once: sums are compared with the least sum before them. Where
    several weigh the same it is the one that ends first, the longest of those.
    """
    if not len(segment):
        none = np.empty(0, np.int64)
        return Stretches(none, np.empty(0), none, none)
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]])
    lengths = np.diff(np.r_[starts, len(segment)])
    index = np.repeat(np.arange(len(starts)), lengths)
    total = np.cumsum(weight)
    before = total - weight
    upto, before = total - before[starts][index], before - before[starts][index]  # within the segment
    # Each segment lies below the one before it, so that a running minimum begins anew with it.
    apart = _apart(weight, starts)
    least = np.minimum.accumulate(before - index * apart) + index * apart
    best = upto - least
    last = _first_where(best >= (np.maximum.reduceat(best, starts) - _NOISE)[index], starts, index)
    rows = np.arange(len(segment))
    first = _first_where((before <= least[last][index] + _NOISE) & (rows <= last[index]), starts, index)
    return Stretches(segment[starts], upto[last] - before[first], first, last)


def _apart(weight: Floats, starts: Ints) -> float:
    """More than any two sums within a segment differ by."""
    return 2.0 * float(np.add.reduceat(np.abs(weight), starts).max()) + 1.0


def _first_where(true: Bools, starts: Ints, index: Ints) -> Ints:
    """Each segment's first row of which it is true; every segment has one."""
    rows = np.flatnonzero(true)
    return rows[np.searchsorted(index[rows], np.arange(len(starts)))].astype(np.int64)
