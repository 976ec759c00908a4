"""The formulas of Glicko-2 for a match by floats and for a history by arrays.

Source: steps 2 to 8 of Mark Glickman, "Example of the Glicko-2 system" (2012). With one opponent,
v = 1/(g²·E·(1 − E)) and delta = v·g·(score − E). The iteration of step 5 is in volatility.py.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import NamedTuple

from ranking.systems.shared.maths import Maths, Numbers

SCALE = 173.7178  # rating points per unit of mu and phi
START, WIDEST = 1500.0, 350.0
NO_DOUBT = 1e-60  # the least g²·E·(1 − E), at a gap of some 24,000 points, at which nobody plays a match


class Form(NamedTuple):
    """A skill on Glicko-2's internal scale, after the empty periods."""

    mu: Numbers
    phi: Numbers
    volatility: Numbers


class Update(NamedTuple):
    """What a match does to a skill: mu moves by `stake`·(score − chance)."""

    chance: Numbers  # E
    stake: Numbers  # phi'²·g(phi of the opponent)
    phi: Numbers
    volatility: Numbers


def empty_periods(idle_days: Numbers, period_days: float | None, m: Maths) -> Numbers:
    """The periods without a match before this one's own; None: a period has no end."""
    return m.maximum(0, m.floor(idle_days / (period_days or inf)) - 1)


def form_of(rating: Numbers, deviation: Numbers, volatility: Numbers, empty: Numbers, m: Maths) -> Form:
    """Step 2, and step 6 once for each empty period."""
    phi = m.minimum(deviation, WIDEST) / SCALE
    phi = m.sqrt(phi * phi + empty * volatility * volatility)
    return Form((rating - START) / SCALE, m.minimum(phi, WIDEST / SCALE), volatility)


def update_of(
    own: Form, other: Form, score: Numbers, tau: float, m: Maths, new_volatility: Callable[..., Numbers]
) -> Update:
    """Steps 3 to 7; `new_volatility` solves step 5, for floats or for arrays."""
    g_other = g(other.phi, m)
    chance, doubt = logistic(g_other * (own.mu - other.mu), m)
    v = 1 / m.maximum(g_other * g_other * doubt, NO_DOUBT)
    volatility = new_volatility(own.volatility, own.phi, v, v * g_other * (score - chance), tau)
    phi2 = 1 / (1 / (own.phi * own.phi + volatility * volatility) + 1 / v)
    return Update(chance, phi2 * g_other, m.sqrt(phi2), volatility)


def rating_after(mu: Numbers, stake: Numbers, surprise: Numbers) -> Numbers:
    """Steps 7 and 8; `surprise`: score − chance."""
    return START + SCALE * (mu + stake * surprise)


def deviation_after(phi: Numbers, m: Maths) -> Numbers:
    """Step 8; no deviation is larger than a newcomer's."""
    return m.minimum(SCALE * phi, WIDEST)


def g(phi: Numbers, m: Maths) -> Numbers:
    """g(phi): how much less an opponent says whose rating is uncertain."""
    return 1 / m.sqrt(1 + 3 * phi * phi / (pi * pi))


def logistic(x: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """E = 1/(1 + exp(−x)) and E·(1 − E), without overflow for any x."""
    odds = m.exp(-abs(x))
    return m.where(x > 0, 1.0, odds) / (1 + odds), odds / (1 + odds) ** 2


def lead(first: Form, second: Form, m: Maths) -> Numbers:
    """g(√(φ1² + φ2²))·(μ1 − μ2), of which `logistic` makes the first player's chance."""
    return g(m.sqrt(first.phi * first.phi + second.phi * second.phi), m) * (first.mu - second.mu)


def problem_of(
    volatility: Numbers, phi: Numbers, v: Numbers, delta: Numbers, m: Maths
) -> tuple[Numbers, Numbers, Numbers]:
    """What step 5 starts from: a = ln σ², φ² + v and Δ².

    `v`: the variance of the rating by the match alone; `delta`: the improvement that its result suggests.
    """
    return 2 * m.log(volatility), phi * phi + v, delta * delta


def f(x: Numbers, a: Numbers, spread: Numbers, surprise: Numbers, tau: float, m: Maths) -> Numbers:
    """f(x) of step 5, whose zero is sought; `a`, `spread` and `surprise`: those of `problem_of`."""
    e = m.exp(x)
    whole = spread + e
    return e * (surprise - spread - e) / (2 * whole * whole) - (x - a) / (tau * tau)


def far_bound(spread: Numbers, surprise: Numbers, m: Maths) -> Numbers:
    """B of step 5, if Δ² > φ² + v: the second bound of the interval that holds the zero; the first one is `a`."""
    return m.log(surprise - spread)


def near_bound(a: Numbers, k: int, tau: float) -> Numbers:
    """B of step 5 in all other cases, with the least k from 1 on for which f(B) isn't below 0."""
    return a - k * tau


def middle(low: Numbers, high: Numbers, f_low: Numbers, f_high: Numbers) -> Numbers:
    """C of step 5: where the line between both bounds is 0."""
    return low + (low - high) * f_low / (f_high - f_low)


def narrowed(
    low: Numbers, high: Numbers, f_low: Numbers, f_high: Numbers, f_middle: Numbers, m: Maths
) -> tuple[Numbers, Numbers]:
    """The lower bound A of the next interval, which goes from it to C, and f(A)."""
    crossed = f_middle * f_high <= 0
    return m.where(crossed, high, low), m.where(crossed, f_high, f_low / 2)


def volatility_at(x: Numbers, m: Maths) -> Numbers:
    """σ' = exp(A/2)."""
    return m.exp(x / 2)
