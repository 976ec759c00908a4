"""Glicko-2's volatilities (see ../volatility.py), many side by side, each by its own number of steps."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.volatility import CONVERGED, MOST_STEPS


def new_volatilities(volatility: Floats, phi: Floats, v: Floats, delta: Floats, tau: float) -> Floats:
    """See `new_volatility`; arrays of any shape."""
    problem = _Problem(np.log(volatility * volatility).ravel(), (phi * phi + v).ravel(), (delta * delta).ravel(), tau)
    low, high = problem.a, problem.bounds()
    f_low, f_high = problem.f(low), problem.f(high)
    found, going = np.empty_like(low), np.arange(len(low))
    for step in range(MOST_STEPS + 1):
        done = np.abs(high - low) <= CONVERGED
        if step == MOST_STEPS:
            done[:] = True
        if done.any():
            found[going[done]] = low[done]
            low, high, f_low, f_high = (column[~done] for column in (low, high, f_low, f_high))
            going, problem = going[~done], problem.of(~done)
        if not len(going):
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = problem.f(middle)
        crossed = f_middle * f_high <= 0
        low, f_low = np.where(crossed, high, low), np.where(crossed, f_high, f_low / 2)
        high, f_high = middle, f_middle
    return np.exp(found / 2).reshape(volatility.shape)


class _Problem:
    """f(x) = 0, for each of many."""

    def __init__(self, a: Floats, spread: Floats, surprise: Floats, tau: float) -> None:
        self.a, self.spread, self.surprise, self.tau = a, spread, surprise, tau

    def of(self, which: Bools) -> _Problem:
        return _Problem(self.a[which], self.spread[which], self.surprise[which], self.tau)

    def f(self, x: Floats) -> Floats:
        e = np.exp(x)
        whole = self.spread + e
        result: Floats = e * (self.surprise - self.spread - e) / (2 * whole * whole) - (x - self.a) / (
            self.tau * self.tau
        )
        return result

    def bounds(self) -> Floats:
        """The other bound beside a: beyond the zero of f."""
        far = self.surprise > self.spread
        high = np.where(far, 0.0, self.a - self.tau)
        high[far] = np.log((self.surprise - self.spread)[far])
        while True:
            short = ~far & (self.f(high) < 0)
            if not short.any():
                return high
            high[short] -= self.tau
