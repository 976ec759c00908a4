"""Formats numbers for people: grouped, with a true minus sign; ratings with exactly their system's decimals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ranking.wording.translation import MINUS, gettext, number_text, ordinal_text

UP, DOWN, SAME = "up", "down", "same"


def rating_text(hundredths: int, decimals: int) -> str:
    """A display rating: 1,021.84."""
    return number_text(Decimal(hundredths).scaleb(-2), decimals)


@dataclass(frozen=True, slots=True)
class Delta:
    """A change: its direction, its size, and its text with a sign."""

    direction: str
    size: str
    text: str


def delta(by: int, size: str) -> Delta:
    """A change by `by`, whose size reads `size`."""
    if not by:
        return Delta(SAME, size, f"±{size}")
    return Delta(UP, size, f"+{size}") if by > 0 else Delta(DOWN, size, MINUS + size)


def rating_delta(before: int, after: int, decimals: int) -> Delta:
    """A change of rating: +0.51."""
    return delta(after - before, rating_text(abs(after - before), decimals))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd … in the language of the reader."""
    return ordinal_text(number)


def place_text(place: int, places: int) -> str:
    """2nd of 8."""
    return gettext("%(place)s of %(places)s") % {"place": ordinal(place), "places": number_text(places)}


def ranked_words(rank: int, listed: int, tier: str) -> str:
    """2nd of 80, Gold I."""
    words = gettext("%(place)s of %(places)s, %(tier)s")
    return words % {"place": ordinal(rank), "places": number_text(listed), "tier": tier}


def clock(seconds: float) -> str:
    """A length of time on a match clock: 4:07, 1:02:33."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def top_text(percent: int) -> str:
    """Return “Top 38 %”."""
    return gettext("Top %(percent)s %%") % {"percent": percent}
