"""Rounds display ratings of a replay, and finds those whose rounding the last digits of a float could decide."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints

CLOSE = 1e-7  # distance to a rounding boundary that counts as close, in units (hundredths or points)
EPSILON = 2.0**-52


def rounded(values: Floats, before: Floats | Ints, width: int) -> tuple[Ints, Bools]:
    """The values as whole numbers, and which of them are a close call; a NaN gives 0 and is a close call.

    The error of a value is below `CLOSE`. A very large value has an error of some units in the last place of itself,
    or of the value before, for each player on a team.
    """
    with np.errstate(invalid="ignore"):  # infinities, which are close calls
        whole = np.rint(values)
        off = np.abs(values - whole)
        off += (np.abs(values) + np.abs(before)) * (EPSILON * (16 + 4 * width))
        close = ~(off < 0.5 - CLOSE)
    return np.where(close, 0, whole).astype(np.int64), close
