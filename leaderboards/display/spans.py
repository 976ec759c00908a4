"""Words lengths of time: how long ago, how long until, how long it takes. js/pages.js goes on saying them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

from leaderboards.display.numbers import clock
from ranking.wording.dates import date_text, month_names, patterns, weekday_names
from ranking.wording.translation import gettext, ngettext, number_text, once_a_language

MINUTE, HOUR, DAY = 60, 3600, 86_400  # seconds
MOST_DAYS_AGO = 28  # longer ago than that, the date says it
SAMPLES = (1, 2, 5)  # numbers of the plural forms that languages have


@once_a_language
def _ago_patterns() -> tuple[tuple[int, int, str], ...]:
    """Seconds of a unit, up to how many of it, and the pattern."""
    return (
        (1, 90, gettext("%(number)s s ago")),
        (MINUTE, 90, gettext("%(number)s min ago")),
        (HOUR, 36, gettext("%(number)s h ago")),
    )


def ago(moment: dt.datetime, now: dt.datetime) -> str:
    """The time since then in one unit: 40 s ago, 5 min ago; the date if it is more than four weeks ago."""
    seconds = int((now - moment).total_seconds())
    if seconds < 5:
        return gettext("just now")
    for size, most, pattern in _ago_patterns():
        if seconds < most * size:
            return pattern % {"number": seconds // size}
    days = seconds // DAY
    return _days_ago(days) % {"number": days} if days <= MOST_DAYS_AGO else date_text(moment)


def _days_ago(number: int) -> str:
    return ngettext("%(number)s day ago", "%(number)s days ago", number)


def _days(number: int) -> str:
    return ngettext("%(number)s day", "%(number)s days", number)


def left(moment: dt.datetime, now: dt.datetime) -> str:
    """The time until then, on a clock or in days if it is long: 9:41, 11:59:02, 3 days."""
    seconds = max(0.0, (moment - now).total_seconds())
    days = int(seconds // DAY)
    return clock(seconds) if seconds < 3 * DAY else _days(days) % {"number": days}


def _in_days(number: int) -> str:
    return ngettext("in %(number)s day", "in %(number)s days", number)


def _in_hours(number: int) -> str:
    return ngettext("in %(number)s hour", "in %(number)s hours", number)


def _in_minutes(number: int) -> str:
    return ngettext("in %(number)s minute", "in %(number)s minutes", number)


_UNTIL: tuple[tuple[int, int, Callable[[int], str]], ...] = (
    (DAY, 2, _in_days), (HOUR, 2, _in_hours), (MINUTE, 1, _in_minutes)
)  # fmt: skip


def until(moment: dt.datetime, now: dt.datetime) -> str:
    """The time until then in one unit, days as days: in 12 days, in 5 hours, in 4 minutes, any moment."""
    seconds = round((moment - now).total_seconds())
    if seconds <= 0:
        return gettext("any moment")
    for size, least, pattern in _UNTIL:
        if seconds >= least * size:
            number = round(seconds / size)
            return pattern(number) % {"number": number}
    return gettext("in less than a minute")


def minutes(number: float) -> str:
    """A length of time in its largest whole unit: 10 minutes, 12 hours, 2 days."""
    if number >= 1440 and number % 1440 == 0:
        days = int(number // 1440)
        return _days(days) % {"number": days}
    if number >= 60 and number % 60 == 0:
        hours = int(number // 60)
        return ngettext("%(number)s hour", "%(number)s hours", hours) % {"number": hours}
    text = number_text(number) if number == int(number) else number_text(number, 1)
    return ngettext("%(number)s minute", "%(number)s minutes", 1 if number == 1 else max(2, int(number))) % {
        "number": text
    }


def day_and_time(moment: dt.datetime, now: dt.datetime) -> str:
    """A moment with its day, and with its year if that isn't this year: 14 Dec, 18:00; 3 Jan 2027, 18:00."""
    return date_text(moment, "moment" if moment.year == now.year else "moment_of_year")


def _forms(pattern: Callable[[int], str]) -> dict[int, str]:
    """The plural forms by a number that has each; one that is like the form before is left out."""
    forms: dict[int, str] = {}
    for number in SAMPLES:
        if pattern(number) not in list(forms.values())[-1:]:
            forms[number] = pattern(number)
    return forms


@once_a_language
def words_for_scripts() -> Mapping[str, object]:
    """The words by which js/pages.js goes on telling times; plural forms by a number that has each of them."""
    return {
        "now": gettext("just now"),
        "ago": _ago_patterns(),
        "days_ago": [MOST_DAYS_AGO, _forms(_days_ago)],
        "days": _forms(_days),
        "until": [[size, least, _forms(pattern)] for size, least, pattern in _UNTIL],
        "soon": gettext("in less than a minute"),
        "any": gettext("any moment"),
        "months": month_names(),
        "weekdays": weekday_names(),
        "dates": patterns(),
    }
