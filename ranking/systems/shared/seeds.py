"""Checks of ratings that players bring along: the display rating, the deviation and the matches.

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
    check_matches(system, matches)


def check_matches(system: Any, matches: int) -> None:
    """Refuse an impossible number of matches."""
    if not 0 <= matches <= MOST_MATCHES:
        raise Refused(f"{system.key} takes 0 to {MOST_MATCHES:,} matches, not {matches:,}.", "matches")


def seed_deviation(system: Any, newcomers: float, given: float | None, *, least: float = 0.0) -> float:
    """The deviation given, at most a newcomer's, else half of that; raises Refused if it isn't above 0, or below
    `least`.
    """
    if given is None:
        return max(least, newcomers / 2)
    if not (0 < given < inf and least <= given):
        low = f"of at least {least:g}" if least else "above 0"
        raise Refused(f"{system.key} takes deviations {low}, not {given:g}.", "deviation")
    return min(given, newcomers)  # libraries let it grow beyond a newcomer's


def check_no_deviation(system: Any, given: float | None) -> None:
    """Refuse a deviation, for a system that keeps none."""
    if given is not None:
        raise Refused(f"{system.key} keeps no deviation: leave it out.", "deviation")


def as_asked(system: Any, skill: S, display: Decimal) -> S:
    """The skill, if its display rating is the one that was asked for; raises Refused if floats are too coarse."""
    if system.display(skill) != display:
        raise Refused(f"{system.key} can't show {display:,f} exactly with these parameters.", "rating")
    return skill
