"""Glicko-2's volatility, step 5 of Mark Glickman's "Example of the Glicko-2 system" (2012).

The new volatility σ' solves f(ln σ'²) = 0; the Illinois algorithm, his too, finds it between two bounds.
"""

from __future__ import annotations

from math import exp, log

CONVERGED = 1e-6  # his ε
MOST_STEPS = 200  # some ten are needed


def new_volatility(volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """`v` is the variance of the rating by the match alone, `delta` the improvement that its result suggests."""
    a, spread, surprise = 2 * log(volatility), phi * phi + v, delta * delta

    def f(x: float) -> float:
        e = exp(x)
        return e * (surprise - spread - e) / (2 * (spread + e) * (spread + e)) - (x - a) / (tau * tau)

    low = a
    if surprise > spread:
        high = log(surprise - spread)
    else:
        high = a - tau
        while f(high) < 0:
            high -= tau
    f_low, f_high = f(low), f(high)
    for _ in range(MOST_STEPS):
        if abs(high - low) <= CONVERGED:
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
