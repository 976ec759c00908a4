"""How a rank filter widens: its own width, then every step of the ladder above it; strict never."""

import numpy as np
from numpy.typing import NDArray

LADDER = np.array([2.0, 5.0, 10.0, 20.0, 50.0, 100.0])

Floats = NDArray[np.float64]


def widths_at(width: Floats, strict: NDArray[np.bool_], waited: Floats, widen_every: float) -> Floats:
    """Half the window of each player in percentiles, after `waited` seconds."""
    steps = np.floor_divide(waited, widen_every).astype(np.int64)
    above = np.searchsorted(LADDER, width, side="right")
    step = np.clip(above + steps - 1, 0, len(LADDER) - 1)
    stays = strict | (steps <= 0) | (above == len(LADDER))
    return np.where(stays, width, LADDER[step])
