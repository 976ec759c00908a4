"""The volatility after a match, by the iteration of Glicko-2's step 5 (see formulas.py).

There are two loops, because a table goes on for those of its players who haven't converged yet.
"""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Floats
from ranking.systems.glicko2 import formulas
from ranking.systems.shared.maths import ARRAYS, FLOATS

CONVERGED = 1e-6  # ε
MOST_STEPS = 200  # the iteration usually takes less than ten


def new_volatility(volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """The volatility of one player."""
    f, middle_of, narrowed = formulas.f, formulas.middle, formulas.narrowed
    m = FLOATS
    a, spread, surprise = formulas.problem_of(volatility, phi, v, delta, m)
    low, f_low = a, f(a, a, spread, surprise, tau, m)
    if surprise > spread:
        high = formulas.far_bound(spread, surprise, m)
        f_high = f(high, a, spread, surprise, tau, m)
    else:
        for k in range(1, MOST_STEPS):
            high = formulas.near_bound(a, k, tau)
            f_high = f(high, a, spread, surprise, tau, m)
            if f_high >= 0:
                break
    for _ in range(MOST_STEPS):
        if abs(high - low) <= CONVERGED:
            break
        middle = middle_of(low, high, f_low, f_high)
        f_middle = f(middle, a, spread, surprise, tau, m)
        low, f_low = narrowed(low, high, f_low, f_high, f_middle, m)
        high, f_high = middle, f_middle
    found: float = formulas.volatility_at(low, m)
    return found


def new_volatilities(volatility: Floats, phi: Floats, v: Floats, delta: Floats, tau: float) -> Floats:
    """The volatilities of many players, in arrays of any shape."""
    m = ARRAYS
    a, spread, surprise = (column.ravel() for column in formulas.problem_of(volatility, phi, v, delta, m))
    low, f_low = a, formulas.f(a, a, spread, surprise, tau, m)
    high, f_high = _bounds(a, spread, surprise, tau)
    solution, going = np.empty_like(low), np.arange(len(low))
    for step in range(MOST_STEPS + 1):
        done = np.abs(high - low) <= CONVERGED
        if step == MOST_STEPS:
            done[:] = True
        if done.any():
            solution[going[done]] = low[done]
            going, columns = going[~done], (low, high, f_low, f_high, a, spread, surprise)
            low, high, f_low, f_high, a, spread, surprise = (column[~done] for column in columns)
        if not len(going):
            break
        middle = formulas.middle(low, high, f_low, f_high)
        f_middle = formulas.f(middle, a, spread, surprise, tau, m)
        low, f_low = formulas.narrowed(low, high, f_low, f_high, f_middle, m)
        high, f_high = middle, f_middle
    found: Floats = formulas.volatility_at(solution, m).reshape(volatility.shape)
    return found


def _bounds(a: Floats, spread: Floats, surprise: Floats, tau: float) -> tuple[Floats, Floats]:
    """The second bounds of the intervals that hold the zeros, and f of them."""
    far, high = surprise > spread, formulas.near_bound(a, 1, tau)
    high[far] = formulas.far_bound(spread[far], surprise[far], ARRAYS)
    f_high = formulas.f(high, a, spread, surprise, tau, ARRAYS)
    for k in range(2, MOST_STEPS):
        short = ~far & (f_high < 0)
        if not short.any():
            break
        high[short] = formulas.near_bound(a[short], k, tau)
        f_high[short] = formulas.f(high[short], a[short], spread[short], surprise[short], tau, ARRAYS)
    return high, f_high
