"""A mode's history as columns with one row for each participation, and the heaviest run of rows in each segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_NOISE = 1e-6  # rounding error of sums


@dataclass(frozen=True, slots=True)
class HeaviestRuns:
    """The heaviest run of each segment: the segment, the run's weight, and its rows [first, last]."""

    segment: Ints
    score: Floats
    first: Ints
    last: Ints


def heaviest_runs(segment: Ints, weight: Floats) -> HeaviestRuns:
    """For rows sorted by segment, the run of successive rows with the largest sum in each segment.

    It is Kadane's maximal subarray for all segments at once: each sum is compared with the least sum before it. Of
    several runs with the same weight it is the one that ends first, and the longest of those.
    """
    if not len(segment):
        none = np.empty(0, np.int64)
        return HeaviestRuns(none, np.empty(0), none, none)
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]])
    lengths = np.diff(np.r_[starts, len(segment)])
    index = np.repeat(np.arange(len(starts)), lengths)
    total = np.cumsum(weight)
    before = total - weight
    upto, before = total - before[starts][index], before - before[starts][index]  # within the segment
    # Shifted down, each segment lies below the one before it, so that the running minimum starts anew with it.
    apart = _apart(weight, starts)
    least = np.minimum.accumulate(before - index * apart) + index * apart
    best = upto - least
    last = _first_where(best >= (np.maximum.reduceat(best, starts) - _NOISE)[index], starts, index)
    rows = np.arange(len(segment))
    first = _first_where((before <= least[last][index] + _NOISE) & (rows <= last[index]), starts, index)
    return HeaviestRuns(segment[starts], upto[last] - before[first], first, last)


def _apart(weight: Floats, starts: Ints) -> float:
    """A number larger than the difference of any two sums within a segment."""
    return 2.0 * float(np.add.reduceat(np.abs(weight), starts).max()) + 1.0


def _first_where(true: Bools, starts: Ints, index: Ints) -> Ints:
    """The first True row of each segment; every segment must have one."""
    rows = np.flatnonzero(true)
    return rows[np.searchsorted(index[rows], np.arange(len(starts)))].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns by participation. Times are POSIX seconds, ratings hundredths; NaN is unknown.

    `won` is 1, ½ or 0, and 0 for a player who left; `chance`: that of the player's team before the match; `score`: the
    team's; `own`: the player's own score; `device`: a number for each key of a device, −1 if none was sent.
    """

    sequence: Ints
    match: Ints
    ended_at: Floats
    duration: Floats
    player: Ints
    team: Ints
    won: Floats
    left: Bools
    seconds: Floats
    chance: Floats
    before: Ints
    after: Ints
    score: Floats
    own: Floats
    device: Ints

    def __len__(self) -> int:
        return len(self.match)


_TYPES: Mapping[str, Any] = {"Ints": np.int64, "Floats": np.float64, "Bools": np.bool_}


def columns_of(values: Mapping[str, Any]) -> Columns:
    """Sort values into columns; a missing column holds unknown values."""
    rows = len(values["match"])
    unknown = {"Ints": -1, "Floats": np.nan, "Bools": False}
    arrays = {
        field.name: np.asarray(values.get(field.name, np.full(rows, unknown[str(field.type)])), _TYPES[str(field.type)])
        for field in fields(Columns)
    }
    order = np.lexsort((arrays["player"], arrays["team"], arrays["match"], arrays["sequence"]))
    return Columns(**{name: array[order] for name, array in arrays.items()})
