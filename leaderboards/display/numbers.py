"""Formats numbers for people: grouped, with a true minus sign; ratings with exactly their system's decimals."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

from ranking.systems.shared.explanations import MINUS

UP, DOWN, SAME = "up", "down", "same"


def rating_text(hundredths: int, decimals: int) -> str:
    """A display rating: 1,021.84."""
    return f"{Decimal(hundredths).scaleb(-2):,.{decimals}f}".replace("-", MINUS)


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
    """1st, 2nd, 3rd, 4th … 11th, 12th, 13th … 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def clock(seconds: float) -> str:
    """A length of time on a match clock: 4:07, 1:02:33."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def minutes(number: float) -> str:
    """A length of time in its largest whole unit: 10 minutes, 12 hours, 2 days."""
    for size, unit in ((1440, "day"), (60, "hour"), (1, "minute")):
        if number >= size and number % size == 0:
            return f"{number // size:g} {unit}{'' if number == size else 's'}"
    return f"{number:g} minutes"


def ago(moment: dt.datetime, now: dt.datetime) -> str:
    """The time since then in one unit: 40 s ago, 5 min ago; the date if it is more than four weeks ago."""
    seconds = int((now - moment).total_seconds())
    if seconds < 5:
        return "just now"
    for size, unit, most in ((1, "s", 90), (60, "min", 90), (3600, "h", 36)):
        if seconds < most * size:
            return f"{seconds // size} {unit} ago"
    days = seconds // 86_400
    if days == 1:
        return "1 day ago"
    return f"{days} days ago" if days <= 28 else f"{moment:%-d %b %Y}"


def left(moment: dt.datetime, now: dt.datetime) -> str:
    """The time until then, on a clock or in days if it is long: 9:41, 11:59:02, 3 days."""
    seconds = max(0.0, (moment - now).total_seconds())
    return clock(seconds) if seconds < 3 * 86_400 else f"{int(seconds // 86_400)} days"


def until(moment: dt.datetime, now: dt.datetime) -> str:
    """The time until then in one unit, days as days: in 12 days, in 5 hours, in 4 minutes, any moment."""
    seconds = round((moment - now).total_seconds())
    if seconds <= 0:
        return "any moment"
    for size, unit, least in ((86_400, "day", 2), (3600, "hour", 2), (60, "minute", 1)):
        if seconds >= least * size:
            number = round(seconds / size)
            return f"in {number} {unit}{'' if number == 1 else 's'}"
    return "in less than a minute"


def day_and_time(moment: dt.datetime, now: dt.datetime) -> str:
    """A moment with its day, and with its year if that isn't this year: 14 Dec, 18:00; 3 Jan 2027, 18:00."""
    return f"{moment:%-d %b, %H:%M}" if moment.year == now.year else f"{moment:%-d %b %Y, %H:%M}"
