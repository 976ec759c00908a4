"""Widens rank filters over time: from a filter's own width up the ladder of wider ones; a strict one stays."""

import numpy as np
from numpy.typing import NDArray

LADDER = np.array([2.0, 5.0, 10.0, 20.0, 50.0, 100.0])

Floats = NDArray[np.float64]


def widths_at(width: Floats, strict: NDArray[np.bool_], waited: Floats, widen_every: float) -> Floats:
    """The half width of each player's window in percentiles, after `waited` seconds."""
    steps = np.floor_divide(waited, widen_every).astype(np.int64)
    above = np.searchsorted(LADDER, width, side="right")
    step = np.clip(above + steps - 1, 0, len(LADDER) - 1)
    stays = strict | (steps <= 0) | (above == len(LADDER))
    return np.where(stays, width, LADDER[step])
