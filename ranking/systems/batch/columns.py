"""What columns are made of. NaN stands for a float that wasn't given, −1 for such a count."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]
Column = TypeVar("Column", Floats, Ints, Bools)


def starts_of(counts: Ints) -> Ints:
    """Where each of so many things, laid one after the other, begins; the last is where they end."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def spread(starts: Ints, counts: Ints) -> Ints:
    """The indices start, start + 1 … of each run, one run after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts)


def any_of(parts: Bools, starts: Ints) -> Bools:
    """Of each run of parts, is any?"""
    if not parts.any():
        return np.zeros(len(starts) - 1, bool)
    return np.logical_or.reduceat(parts, starts[:-1])
