"""Computes one match by Glicko-2 on its internal scale.

Source: steps 3 to 7 of Mark Glickman, "Example of the Glicko-2 system" (2012). With one opponent,
v = 1/(g²·E·(1 − E)) and delta = v·g·(score − E).
"""

from __future__ import annotations

from math import exp, log, pi, sqrt
from typing import NamedTuple

CONVERGED = 1e-6  # ε
MOST_STEPS = 200  # the iteration usually takes about ten
NO_DOUBT = 1e-60  # the least g²·E·(1 − E), at a gap of some 24,000 points, at which nobody plays a match


def new_volatility(volatility: float, phi: float, v: float, delta: float, tau: float) -> float:
    """The volatility after a match (step 5).

    `v`: the variance of the rating by the match alone; `delta`: the improvement that its result suggests.
    """
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


class Form(NamedTuple):
    """A skill on Glicko-2's internal scale, after the empty periods."""

    mu: float
    phi: float
    volatility: float


class Update(NamedTuple):
    """What a match does to a skill: mu moves by `stake`·(score − chance)."""

    chance: float  # E
    stake: float  # phi'²·g(phi of the opponent)
    phi: float
    volatility: float


def update_of(own: Form, other: Form, score: float, tau: float) -> Update:
    g_other = g(other.phi)
    chance, doubt = logistic(g_other * (own.mu - other.mu))
    v = 1 / max(g_other * g_other * doubt, NO_DOUBT)
    volatility = new_volatility(own.volatility, own.phi, v, v * g_other * (score - chance), tau)
    phi2 = 1 / (1 / (own.phi * own.phi + volatility * volatility) + 1 / v)
    return Update(chance, phi2 * g_other, sqrt(phi2), volatility)


def g(phi: float) -> float:
    return 1 / sqrt(1 + 3 * phi * phi / (pi * pi))


def logistic(x: float) -> tuple[float, float]:
    """E = 1/(1 + exp(−x)) and E·(1 − E), without overflow for any x."""
    odds = exp(-abs(x))
    return (1 if x > 0 else odds) / (1 + odds), odds / (1 + odds) ** 2
