"""Checks of ratings that players bring along: the display rating, and the deviation.

A system solves its hidden numbers from both, so that its display rating is the one that was asked for.
"""

from __future__ import annotations

from decimal import Decimal
from math import inf
from typing import Any, TypeVar

from ranking.systems.base import Refused

S = TypeVar("S")
MOST_MATCHES = 10**9  # that a rating may rest on


def check_seed(system: Any, display: Decimal, matches: int, *, least: float | Decimal, most: float | Decimal) -> None:
    """Refuse a display rating that the system can't show, and an impossible number of matches."""
    if not display.is_finite() or not least <= display <= most:
        bounds = f"{Decimal(least):,f} to {Decimal(most):,f}"
        raise Refused(f"{system.key} takes ratings from {bounds}, not {display:,}.", "rating")
    if display != round(display, system.decimals):
        places = "whole numbers" if not system.decimals else f"{system.decimals} decimals at most"
        raise Refused(f"{system.key} shows ratings as {places}, not {display:,f}.", "rating")
    if not 0 <= matches <= MOST_MATCHES:
        raise Refused(f"{system.key} takes 0 to {MOST_MATCHES:,} matches, not {matches:,}.", "matches")


def seed_deviation(system: Any, newcomers: float, given: float | None, *, least: float = 0.0) -> float:
    """The deviation given, else half a newcomer's; raises Refused if it isn't above 0, at least `least`, and at most a
    newcomer's.
    """
    if given is None:
        return max(least, newcomers / 2)
    if not (0 < given < inf and least <= given <= newcomers):
        low = f"from {least:g}" if least else "above 0"
        sentence = f"{system.key} takes deviations {low} to {newcomers:g}, a newcomer's, not {given:g}."
        raise Refused(sentence, "deviation")
    return given


def check_no_deviation(system: Any, given: float | None) -> None:
    """Refuse a deviation, for a system that keeps none."""
    if given is not None:
        raise Refused(f"{system.key} keeps no deviation: leave it out.", "deviation")


def as_asked(system: Any, skill: S, display: Decimal) -> S:
    """The skill, if its display rating is the one that was asked for; raises Refused if floats are too coarse."""
    if system.display(skill) != display:
        raise Refused(f"{system.key} can't show {display:,f} exactly with these parameters.", "rating")
    return skill
