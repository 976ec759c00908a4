"""NumPy array types of columns, and sums over runs of them. NaN is a missing float, −1 a missing count."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]
Column = TypeVar("Column", Floats, Ints, Bools)


def starts_of(counts: Ints) -> Ints:
    """The start index of each run, if runs of these lengths follow each other; one more entry for the end."""
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def spread(starts: Ints, counts: Ints) -> Ints:
    """The indices start, start + 1, … of each run, in one array."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts)


def any_of(flags: Bools, starts: Ints) -> Bools:
    """By run: True if any of its flags is True."""
    if not flags.any():
        return np.zeros(len(starts) - 1, bool)
    return np.logical_or.reduceat(flags, starts[:-1])
