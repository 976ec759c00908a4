"""Template filters for numbers and times."""

import datetime as dt

from django import template
from django.utils import timezone

from leaderboards.display import numbers

register = template.Library()


@register.filter
def group(number: int) -> str:
    """12480 → 12,480."""
    return f"{number:,}"


@register.filter
def ordinal(number: int) -> str:
    return numbers.ordinal(number)


@register.filter
def clock(seconds: float) -> str:
    return numbers.clock(seconds)


@register.filter
def minutes(number: float) -> str:
    return numbers.minutes(number)


@register.filter
def ago(moment: dt.datetime) -> str:
    return numbers.ago(moment, timezone.now())


@register.filter
def left(moment: dt.datetime) -> str:
    return numbers.left(moment, timezone.now())


@register.filter
def rungs(tier_division: str | None) -> int:
    """How many of a tier emblem's three rungs are filled: III one, II two, I three; three without divisions, too."""
    return {"III": 1, "II": 2}.get(tier_division or "", 3)
