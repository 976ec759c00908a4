"""Resets at the end of a season: a player's numbers move toward a newcomer's.

Source: the rules of seasons of this site. `keep` leaves a state as it is, `hard` gives a newcomer's, and `soft` with
the factor f moves each number: a rating or mean to start + f·(value − start), a deviation to
min(start's, √(deviation² + (1 − f)²·start's²)), a volatility to start·(volatility/start)^f. Whole numbers are rounded
half up. A soft reset with f = 1 is `keep`, with f = 0 it is `hard`. A value moves toward the start and never past it,
so every floor that both keep holds afterwards, too. The order of display ratings at equal deviations is kept.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, hypot
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ranking.systems.base import ResetRule, State

S = TypeVar("S")
Number = TypeVar("Number", float, npt.NDArray[np.float64])


class SeasonReset(Generic[S]):
    """Base class of all systems: `reset`, by what a system's `softened` makes of a skill."""

    __slots__ = ()

    def softened(self, skill: S, factor: float) -> S:
        """The skill after a soft reset with this factor, which is between 0 and 1."""
        raise NotImplementedError

    def reset(self: Any, state: State, rule: ResetRule) -> State:
        if rule.keeps_states:
            return state
        skill = self.newcomer() if rule.starts_anew else self.softened(self.from_state(state), rule.factor)
        after: State = self.to_state(skill)
        return after


def toward(start: float, value: Number, factor: float) -> Number:
    """A rating or mean, or an array of them, after a soft reset."""
    moved: Number = start + factor * (value - start)
    return moved


def toward_whole(start: int, value: int, factor: float) -> int:
    """A whole number after a soft reset, rounded half up once; the factor is the decimal that its repr shows."""
    return floor(start + Fraction(repr(factor)) * (value - start) + Fraction(1, 2))


def less_certain(start: float, deviation: float, factor: float) -> float:
    """A deviation after a soft reset: larger, but at most a newcomer's."""
    return min(start, hypot(deviation, (1 - factor) * start))


def toward_volatility(start: float, volatility: Number, factor: float) -> Number:
    """A volatility, or an array of them, after a soft reset: moved on the scale of ratios."""
    moved: Number = start * (volatility / start) ** factor
    return moved
