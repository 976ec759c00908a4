"""The moments of truncated.py and the normal distribution, for whole arrays.

With v(t) = phi(t)/Phi(t), how far the mean of a normal x moves once it is known to lie above −t, everything follows
from one smooth function: v' = −W, and Phi(t) = phi(t)/v(t), which keeps its digits far out in the lower tail. Here
it is a table of Taylor polynomials about points 1/32 apart. Their first two coefficients are those of truncated.py;
the others follow from the differential equation v' = −v·(v + t): where v = Σ c_n·d^n at t + d,

    (n + 1)·c_{n+1} = −(Σ c_k·c_{n−k} + t·c_n + c_{n−1})

The nearest singularity, a complex zero of Phi, is more than 2.5 away from the real line, so that the terms left out
are below 1e-17. Measured: v to 4e-15, from t = 4 on absolutely; 1 − W to 4e-12; Phi to 1e-12.
"""

from __future__ import annotations

from functools import cache
from math import nan

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.shared.gaussian import SQRT_2PI, above, within

LOWEST, HIGHEST = -38, 9  # of the table; Phi(−38) is about the least float, v(9) less than 1e-17
NOTHING = 40.0  # Phi of less is 0
STEPS = 32  # points to the unit
DEGREE = 7


@cache
def _table() -> Floats:
    """By point: the coefficients of v, then those of 1 − W, its derivative plus 1; in powers of steps."""
    points = np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1) / STEPS
    known = np.array([above(t) for t in points.tolist()])
    c = np.zeros((DEGREE + 1, len(points)))
    c[0], c[1] = known[:, 0], -known[:, 1]
    for n in range(1, DEGREE):
        c[n + 1] = -((c[: n + 1] * c[n::-1]).sum(axis=0) + points * c[n] + c[n - 1]) / (n + 1)
    spare = np.zeros_like(c)
    spare[:-1] = c[1:] * np.arange(1.0, DEGREE + 1)[:, None]
    spare[0] = known[:, 2]  # as it is, because 1 − W would lose digits
    to_steps = (1 / STEPS) ** np.arange(DEGREE + 1)[:, None]
    # In this order in memory: `take` would copy any other as a whole, each time.
    return np.ascontiguousarray(np.stack([(c * to_steps).T, (spare * to_steps).T], axis=1))


@cache
def _columns() -> Floats:
    """The coefficients of v alone, by degree and point."""
    return np.ascontiguousarray(_table()[:, 0].T)


def _nearest(t: Floats) -> tuple[Ints, Floats]:
    """Index of the nearest point, and how many steps beyond it `t` is."""
    d = np.maximum(t, LOWEST)
    np.minimum(d, HIGHEST, out=d)
    d -= LOWEST
    d *= STEPS
    nearest = np.rint(d)
    d -= nearest
    return nearest.astype(np.intp), d


def all_above(t: Floats) -> tuple[Floats, Floats]:
    """v and 1 − W where who was `t` ahead, in standard deviations, has won; of one dimension."""
    index, d = _nearest(t)
    powers = np.empty((len(t), DEGREE + 1))
    powers[:] = d[:, None]
    powers[:, 0] = 1.0
    np.multiply.accumulate(powers, axis=1, out=powers)
    both = np.vecdot(_table().take(index, axis=0), powers[:, None, :])
    v, spare = both[:, 0], both[:, 1]
    if len(t) and np.minimum.reduce(t) < LOWEST:
        for place in np.flatnonzero(t < LOWEST).tolist():  # so far out, hardly anybody
            v[place], _, spare[place] = above(float(t[place]))
    return v, spare


def draw(tied: Bools, t: Floats, margin: Floats, v: Floats, spare: Floats) -> None:
    """Put those of a draw, one by one, where there was one."""
    for place in np.flatnonzero(tied).tolist():
        v[place], _, spare[place] = within(float(t[place]), float(margin[place]))


def all_Phi(t: Floats) -> Floats:  # noqa: N802 - the source's symbol
    """The distribution function."""
    lower = np.maximum(-np.abs(t), -NOTHING)
    index, d = _nearest(lower)
    coefficients = _columns().take(index, axis=-1)
    v = coefficients[-1] * d
    for c in coefficients[-2:0:-1]:
        v += c
        v *= d
    v += coefficients[0]
    lower *= lower
    lower *= -0.5
    tail = np.exp(lower, out=lower)
    v *= SQRT_2PI
    tail /= v
    return np.subtract(1.0, tail, out=tail, where=t > 0)


def both_chances(ahead: Floats) -> tuple[Floats, Floats]:
    """Phi of each and of its negative; NaN for NaN."""
    known = ~np.isnan(ahead)
    first, second = np.full(len(ahead), nan), np.full(len(ahead), nan)
    first[known], second[known] = all_Phi(ahead[known]), all_Phi(-ahead[known])
    return first, second
