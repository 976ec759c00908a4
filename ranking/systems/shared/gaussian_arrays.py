"""The functions of gaussian.py for whole arrays, by a table of Taylor polynomials.

v(t) = phi(t)/Phi(t) says how far the mean of a normal x moves once x is known to lie above −t. Everything follows
from this one smooth function: v' = −W, and Phi(t) = phi(t)/v(t), which keeps its digits far out in the lower tail.
The table holds polynomials about points 1/32 apart. Their first two coefficients come from `gaussian.above`; the
others follow from the differential equation v' = −v·(v + t). With v = Σ c_n·d^n at t + d,

    (n + 1)·c_{n+1} = −(Σ c_k·c_{n−k} + t·c_n + c_{n−1})

The nearest singularity, a complex zero of Phi, is more than 2.5 away from the real line, so that the terms left out
are below 1e-17. Measured: v to 4e-15, from t = 4 on absolutely; 1 − W to 4e-12; Phi to 1e-12.
"""

from __future__ import annotations

from functools import cache
from math import log, nan

import numpy as np
import numpy.typing as npt

from ranking.systems.shared.gaussian import SQRT2, SQRT_2PI, above, within

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.signedinteger]
Bools = npt.NDArray[np.bool_]

LOWEST, HIGHEST = -38, 9  # of the table; Phi(−38) is about the least float, v(9) less than 1e-17
NOTHING = 40.0  # Phi(−40) is 0
STEPS = 32  # points per unit
DEGREE = 7
NARROW = 1e-4  # an interval below this width is integrated over in closed form, because a difference loses digits
LOG_SQRT_2PI = log(SQRT_2PI)


@cache
def _table() -> Floats:
    """By point: the coefficients of v, then those of 1 − W = 1 + v', in powers of steps."""
    points = np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1) / STEPS
    known = np.array([above(t) for t in points.tolist()])
    c = np.zeros((DEGREE + 1, len(points)))
    c[0], c[1] = known[:, 0], -known[:, 1]
    for n in range(1, DEGREE):
        c[n + 1] = -((c[: n + 1] * c[n::-1]).sum(axis=0) + points * c[n] + c[n - 1]) / (n + 1)
    spare = np.zeros_like(c)
    spare[:-1] = c[1:] * np.arange(1.0, DEGREE + 1)[:, None]
    spare[0] = known[:, 2]  # from `above`, because subtracting W from 1 would lose digits
    to_steps = (1 / STEPS) ** np.arange(DEGREE + 1)[:, None]
    # C order in memory: `take` would copy an array of any other order as a whole, each time.
    return np.ascontiguousarray(np.stack([(c * to_steps).T, (spare * to_steps).T], axis=1))


@cache
def _columns() -> Floats:
    """The coefficients of v alone, by degree and point."""
    return np.ascontiguousarray(_table()[:, 0].T)


def _nearest(t: Floats) -> tuple[Ints, Floats]:
    """The index of the nearest point, and the distance of `t` from it in steps."""
    d = np.maximum(t, LOWEST)
    np.minimum(d, HIGHEST, out=d)
    d -= LOWEST
    d *= STEPS
    nearest = np.rint(d)
    d -= nearest
    return nearest.astype(np.intp), d


Truncations = tuple[Floats, Floats, Floats]  # v, W, 1 − W


def all_above(t: Floats) -> Truncations:
    """`gaussian.above` for an array."""
    if t.ndim != 1:
        v, w, spare = (column.reshape(t.shape) for column in all_above(t.reshape(-1)))
        return v, w, spare
    index, d = _nearest(t)
    powers = np.empty((len(t), DEGREE + 1))
    powers[:] = d[:, None]
    powers[:, 0] = 1.0
    np.multiply.accumulate(powers, axis=1, out=powers)
    both = np.vecdot(_table().take(index, axis=0), powers[:, None, :])
    v, spare = both[:, 0], both[:, 1]
    if len(t) and np.minimum.reduce(t) < LOWEST:
        for index_below in np.flatnonzero(t < LOWEST).tolist():  # rare
            v[index_below], _, spare[index_below] = above(float(t[index_below]))
    return v, 1.0 - spare, spare


def all_within(t: Floats, margin: Floats) -> Truncations:
    """`gaussian.within` for arrays of one dimension, one by one: draws are rare."""
    moments = np.array([within(*pair) for pair in zip(t.tolist(), margin.tolist(), strict=True)])
    v, w, spare = moments.reshape(-1, 3).T
    return v, w, spare


def all_Phi(t: Floats) -> Floats:  # noqa: N802 - the source's symbol
    """The distribution function: the chance of a value below `t`."""
    tail = _tail(-np.abs(t), SQRT_2PI)
    return np.subtract(1.0, tail, out=tail, where=t > 0)


def all_erfc(x: Floats) -> Floats:
    """The complementary error function: twice the chance of a value above √2·x."""
    tail = _tail(-SQRT2 * np.abs(x), SQRT_2PI / 2)
    return np.subtract(2.0, tail, out=tail, where=x < 0)


def _v(t: Floats) -> Floats:
    """v of numbers in the table's range, by its polynomials."""
    index, d = _nearest(t)
    coefficients = _columns().take(index, axis=-1)
    v: Floats = coefficients[-1] * d
    for c in coefficients[-2:0:-1]:
        v += c
        v *= d
    v += coefficients[0]
    return v


def _tail(lower: Floats, scale: float) -> Floats:
    """exp(−t²/2)/(v(t)·scale) for each t of `lower`, none of which is above 0; it is written to."""
    np.maximum(lower, -NOTHING, out=lower)
    v = _v(lower)
    lower *= lower
    lower *= -0.5
    tail = np.exp(lower, out=lower)
    v *= scale
    tail /= v
    return tail


def all_between(lower: Floats, width: Floats) -> tuple[Floats, Floats, Floats]:
    """The truncation to lower < x < lower + width: log of its mass, and the density at both ends by the mass.

    Widths are above 0. No digits are lost far out in the tails, and hardly any in a narrow interval.
    """
    middle = lower + 0.5 * width
    near = np.abs(middle) - 0.5 * width  # the end with the higher density, if the interval is on one side of 0
    hazard, end_hazard = _hazard(np.abs(near)), _hazard(near + width)
    log_density, falling = -0.5 * near * near - LOG_SQRT_2PI, np.exp(-np.abs(middle) * width)
    around = near < 0
    tails = np.exp(log_density) * (1 / hazard + falling / end_hazard)
    by_density = 1 / hazard - falling / end_hazard
    narrow = width < NARROW
    if narrow.any():  # the density falls exponentially
        slope = np.where(near == 0, width, near) * width
        by_density = np.where(narrow, -np.expm1(-slope) / slope * width * (1 - width * width / 6), by_density)
        around &= ~narrow
    log_mass = np.where(around, np.log1p(-np.where(around, tails, 0.0)), 0.0)
    log_mass += np.where(around, 0.0, log_density + np.log(np.where(around, 1.0, by_density)))
    at_near = np.exp(log_density - log_mass)
    at_end = falling * at_near
    return log_mass, np.where(middle > 0, at_near, at_end), np.where(middle > 0, at_end, at_near)


def _hazard(x: Floats) -> Floats:
    """phi(x)/Phi(−x) for numbers that aren't below 0."""
    v = _v(-x)
    with np.errstate(divide="ignore"):
        inverse = 1 / x
    return np.where(x > -LOWEST, x + inverse * (1 - inverse * inverse * (2 - 10 * inverse * inverse)), v)


def both_chances(ahead: Floats) -> tuple[Floats, Floats]:
    """Phi of each number and of its negative: both teams' chances. NaN stays NaN."""
    known = ~np.isnan(ahead)
    first, second = np.full(len(ahead), nan), np.full(len(ahead), nan)
    first[known], second[known] = all_Phi(ahead[known]), all_Phi(-ahead[known])
    return first, second
