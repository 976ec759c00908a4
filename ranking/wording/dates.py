"""Words days and moments in the language of the reader. Pure; the zone of a moment is the caller's."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from ranking.wording.translation import once_a_language, pgettext


@once_a_language
def month_names() -> tuple[str, ...]:
    """Jan, Feb … Dec."""
    return (
        pgettext("month", "Jan"), pgettext("month", "Feb"), pgettext("month", "Mar"), pgettext("month", "Apr"),
        pgettext("month", "May"), pgettext("month", "Jun"), pgettext("month", "Jul"), pgettext("month", "Aug"),
        pgettext("month", "Sep"), pgettext("month", "Oct"), pgettext("month", "Nov"), pgettext("month", "Dec"),
    )  # fmt: skip


@once_a_language
def weekday_names() -> tuple[str, ...]:
    """Mon, Tue … Sun."""
    return (
        pgettext("weekday", "Mon"), pgettext("weekday", "Tue"), pgettext("weekday", "Wed"), pgettext("weekday", "Thu"),
        pgettext("weekday", "Fri"), pgettext("weekday", "Sat"), pgettext("weekday", "Sun"),
    )  # fmt: skip


@once_a_language
def patterns() -> Mapping[str, str]:
    """The patterns of days and moments, by name; js/times.js has the same ones."""
    return {
        "day": pgettext("date without its year: 14 Dec", "%(day)s %(month)s"),
        "day_of_year": pgettext("date: 14 Dec 2026", "%(day)s %(month)s %(year)s"),
        "month": pgettext("month of a year: Dec 2026", "%(month)s %(year)s"),
        "moment": pgettext("moment of this year: 14 Dec, 18:00", "%(day)s %(month)s, %(time)s"),
        "moment_of_year": pgettext("moment: 14 Dec 2026, 18:00", "%(day)s %(month)s %(year)s, %(time)s"),
        "weekday": pgettext("day of the week: Mon 14 Dec", "%(weekday)s %(day)s %(month)s"),
        "weekday_of_year": pgettext("day of the week: Mon 14 Dec 2026", "%(weekday)s %(day)s %(month)s %(year)s"),
        "weekday_moment": pgettext("moment: Mon 14 Dec, 18:00", "%(weekday)s %(day)s %(month)s, %(time)s"),
    }


def date_text(moment: dt.date, pattern: str = "day_of_year") -> str:
    """A day or moment by the name of a pattern: 14 Dec 2026; in German 14. Dez. 2026."""
    time = f"{moment:%H:%M}" if isinstance(moment, dt.datetime) else ""
    return patterns()[pattern] % {
        "day": moment.day,
        "month": month_names()[moment.month - 1],
        "year": moment.year,
        "weekday": weekday_names()[moment.weekday()],
        "time": time,
    }


def week_starts_on() -> int:
    """The first day of the week: 0 is Monday, 6 is Sunday."""
    first = pgettext("first day of the week: monday, saturday or sunday", "monday")
    return {"saturday": 5, "sunday": 6}.get(first, 0)


def utc_text(moment: dt.datetime) -> str:
    """Return a time as the admin writes it: 22 Nov 2026, 14:32 UTC. English only."""
    utc = moment.astimezone(dt.UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M} UTC"
