"""The standard normal distribution, and the moments of a truncated one (TrueSkill's v and W).

All of it rests on `math.erfc`, which keeps its precision far out in the tails. Sources: Ralf Herbrich, Tom Minka and
Thore Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006) for v and W; Abramowitz and Stegun, "Handbook of
Mathematical Functions", 26.2.14, for the continued fraction.
"""

from __future__ import annotations

from math import erfc, exp, pi, sqrt

import numpy as np

SQRT2 = sqrt(2)
SQRT_2PI = sqrt(2 * pi)


def phi(x: float) -> float:
    """The density at `x`."""
    return exp(-0.5 * x * x) / SQRT_2PI


def Phi(x: float) -> float:  # noqa: N802 - the source's symbol; phi is the density
    """The distribution function: the chance of a value below `x`."""
    return 0.5 * erfc(-x / SQRT2)


Truncation = tuple[float, float, float]  # v, W, 1 − W
FAR = 5.0  # standard deviations, beyond which phi/Phi is computed by a continued fraction
DEPTH = 70  # of the continued fraction, enough for all digits from FAR on
NARROW = 0.02  # a draw margin below this is integrated over, because a difference would lose digits
NEGLIGIBLE = 40.0  # exp(−40) is less than the last digit of 1
_SQRT_2_PI = sqrt(2 / pi)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_UNIT = (_NODES + 1) / 2  # Gauss–Legendre nodes on [0, 1]


def above(t: float) -> Truncation:
    """The truncation to x + t > 0: the player or team that was `t` standard deviations ahead has won."""
    if t > -FAR:
        v = _SQRT_2_PI * exp(-0.5 * t * t) / erfc(-t / SQRT2)  # phi(t)/Phi(t)
        w = v * (v + t)
        return v, w, 1 - w
    # phi/Phi = x + h1 with h1 = 1/(x + h2), h2 = 2/(x + h3) … (Abramowitz and Stegun 26.2.14).
    x, h1, h2 = -t, 0.0, 0.0
    for n in range(DEPTH, 0, -1):
        h2, h1 = h1, n / (x + h1)
    return x + h1, (x + h1) * h1, (h2 - h1) * h1


def within(t: float, margin: float) -> Truncation:
    """The truncation to |x + t| < margin, which is a draw; to x + t = 0 if the margin is 0."""
    if margin == 0:
        return -t, 1.0, 0.0
    far = abs(t)
    upper, lower = margin - far, -margin - far
    if margin < NARROW or upper < -FAR:
        v, spare = _within_narrow(-upper, margin)
        return (v if t < 0 else -v), 1 - spare, spare
    mass = Phi(upper) - Phi(lower)
    v = (phi(lower) - phi(upper)) / mass
    w = v * v + (upper * phi(upper) - lower * phi(lower)) / mass
    return (-v if t < 0 else v), w, 1 - w


def _within_narrow(slope: float, margin: float) -> tuple[float, float]:
    """|v| and 1 − W by quadrature: at a depth y from the near edge the density is exp(−slope·y − y²/2)."""
    length = 2 * margin if slope <= 0 else min(2 * margin, NEGLIGIBLE / slope)
    depths = length * _UNIT
    density = _WEIGHTS * np.exp(-slope * depths - 0.5 * depths * depths)
    total = float(density.sum())
    mean = float(density @ depths) / total
    variance = float(density @ (depths - mean) ** 2) / total
    return slope + mean, variance
