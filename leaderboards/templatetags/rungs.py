"""Template filters for numbers and times."""

import datetime as dt

from django import template
from django.utils import timezone
from django.utils.html import format_html

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


@register.simple_tag
def time_until(moment: dt.datetime) -> str:
    """How far away a moment is; js/pages.js goes on saying it."""
    return format_html('<time datetime="{}" data-until>{}</time>', _iso(moment), numbers.until(moment, timezone.now()))


@register.simple_tag
def local_time(moment: dt.datetime) -> str:
    """A moment in UTC; js/pages.js turns it into the reader's own time."""
    utc = moment.astimezone(dt.UTC)
    words = f"{numbers.day_and_time(utc, timezone.now())} UTC"
    title = f"{utc:%-d %b %Y, %H:%M} UTC"
    return format_html('<time datetime="{}" data-local title="{}">{}</time>', _iso(moment), title, words)


@register.simple_tag
def local_day(moment: dt.datetime) -> str:
    """The day of a moment in UTC; js/pages.js turns it into the reader's own day."""
    words = f"{moment.astimezone(dt.UTC):%-d %b}"
    return format_html('<time datetime="{}" data-local-day>{}</time>', _iso(moment), words)


def _iso(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds")


@register.filter
def rungs(tier_division: str | None) -> int:
    """How many of a tier emblem's three rungs are filled: III one, II two, I three; three without divisions, too."""
    return {"III": 1, "II": 2}.get(tier_division or "", 3)
