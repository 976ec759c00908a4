"""The standard normal distribution, by `math.erfc`, which keeps its precision far out in the tails."""

from __future__ import annotations

from math import erfc, exp, pi, sqrt

SQRT2 = sqrt(2)
SQRT_2PI = sqrt(2 * pi)


def phi(x: float) -> float:
    """The density at `x`."""
    return exp(-0.5 * x * x) / SQRT_2PI


def Phi(x: float) -> float:  # noqa: N802 - the source's symbol; phi is the density
    """The distribution function: the chance of a value below `x`."""
    return 0.5 * erfc(-x / SQRT2)
