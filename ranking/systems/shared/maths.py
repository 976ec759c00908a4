"""The functions that formulas need beside operators: those of floats, and the same of NumPy arrays.

A system's formulas stand once, in its `formulas.py`, as functions of numbers that are floats or arrays alike. What
operators can't say they take from `m`: a match passes FLOATS, a history ARRAYS. Both may differ in a number's last bit.

Some things stand twice, each for a reason. Team ratio computes a match in whole numbers, to be exact, and a table in
floats. Loops that end at different times for different players or matches are written for one and for many: Glicko-2's
volatility and TrueSkill's chain of teams. Two-layer shares out whole points by sorting. The functions of the normal
distribution are `math.erfc` for one number, and a table of polynomials for many (gaussian_arrays.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ranking.systems.shared import gaussian
from ranking.systems.shared.gaussian_arrays import all_above, all_erfc, all_Phi, all_within

Numbers: TypeAlias = Any  # a float, or an array of floats


@dataclass(frozen=True, slots=True)
class Maths:
    """Functions of one number each, or of as many as their types say."""

    exp: Callable[[Numbers], Numbers]
    tanh: Callable[[Numbers], Numbers]
    log: Callable[[Numbers], Numbers]
    sqrt: Callable[[Numbers], Numbers]
    floor: Callable[[Numbers], Numbers]
    maximum: Callable[[Numbers, Numbers], Numbers]
    minimum: Callable[[Numbers, Numbers], Numbers]
    clip: Callable[[Numbers, Numbers, Numbers], Numbers]  # (number, least, most)
    where: Callable[[Any, Numbers, Numbers], Numbers]  # (condition, then, else); both are computed
    erfc: Callable[[Numbers], Numbers]  # the complementary error function
    Phi: Callable[[Numbers], Numbers]  # of the standard normal distribution: the chance of a value below
    above: Callable[[Numbers], tuple[Numbers, Numbers, Numbers]]  # v, W and 1 − W of a win; see gaussian.py
    within: Callable[[Numbers, Numbers], tuple[Numbers, Numbers, Numbers]]  # of a draw


FLOATS = Maths(
    exp=math.exp,
    tanh=math.tanh,
    log=math.log,
    sqrt=math.sqrt,
    floor=math.floor,
    maximum=lambda x, y: y if y > x else x,  # a third of the time of max
    minimum=lambda x, y: y if y < x else x,
    clip=lambda x, least, most: least if x < least else most if x > most else x,
    where=lambda condition, then, other: then if condition else other,
    erfc=math.erfc,
    Phi=gaussian.Phi,
    above=gaussian.above,
    within=gaussian.within,
)
ARRAYS = Maths(
    exp=np.exp,
    tanh=np.tanh,
    log=np.log,
    sqrt=np.sqrt,
    floor=np.floor,
    maximum=np.maximum,
    minimum=np.minimum,
    clip=lambda x, least, most: np.minimum(np.maximum(x, least), most),  # half the time of clip
    where=np.where,
    erfc=all_erfc,
    Phi=all_Phi,
    above=all_above,
    within=all_within,
)
