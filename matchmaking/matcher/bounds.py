"""How uneven a match may be, by how long it was waited for."""

import numpy as np

from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.tickets import Bound
from matchmaking.matcher.widening import Floats


def even_enough(units: Units, lobbies: Ints, difference: Floats, bound: Bound | None) -> Bools:
    """Which lobbies' favourites are within the bound, which relaxes with the longest wait in the lobby."""
    if bound is None:
        return np.ones(len(lobbies), np.bool_)
    waited = np.where(lobbies >= 0, units.waited[lobbies], 0.0).max(1, initial=0.0)
    most = bound.start + (bound.end - bound.start) * np.minimum(waited / bound.over, 1.0)
    within: Bools = 1 / (1 + 10 ** (-difference / bound.scale)) <= most
    return within
