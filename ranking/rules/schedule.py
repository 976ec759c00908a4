"""Schedules by which a mode's seasons end. Pure: a line of text is read, and gives the next end after a moment.

The four forms are those of EXAMPLES. A day that a month doesn't have is its last day. Times are those of the clocks in
the mode's time zone: one that a change of clocks leaves out comes as much later, of one that comes twice the first
counts.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from zoneinfo import ZoneInfo

LONGEST = 500  # characters
MOST_DAYS = 3_650
MOST_DATES = 20
EXAMPLES = (
    "weekly on Monday at 18:00",
    "monthly on 31 at 18:00",
    "every 14 days from 2026-01-05 at 18:00",
    "on 2026-03-01 at 18:00, 2026-06-01 at 18:00",
)
_WEEKDAYS = tuple(name.lower() for name in calendar.day_name)
_AT = r"(?: at (?P<at>\d{1,2}:\d{2}))?"
_WEEKLY = re.compile(rf"weekly on (?P<day>[a-z]+){_AT}")
_MONTHLY = re.compile(rf"monthly on (?P<day>\d{{1,2}}){_AT}")
_EVERY = re.compile(rf"every (?P<days>\d{{1,4}}) days? from (?P<date>\d{{4}}-\d{{2}}-\d{{2}}){_AT}")
_DATE = re.compile(rf"(?P<date>\d{{4}}-\d{{2}}-\d{{2}}){_AT}")


class BadSchedule(ValueError):
    """A text that is no schedule; the message is a sentence for the one who wrote it."""


@dataclass(frozen=True, slots=True)
class Weekly:
    weekday: int  # 0 = Monday
    at: dt.time

    def local_ends(self, first: dt.date) -> Iterator[dt.datetime]:
        start = first + dt.timedelta(days=(self.weekday - first.weekday()) % 7)
        return (dt.datetime.combine(start + dt.timedelta(weeks=week), self.at) for week in count())


@dataclass(frozen=True, slots=True)
class Monthly:
    day: int  # 1 to 31; the last day of a shorter month
    at: dt.time

    def local_ends(self, first: dt.date) -> Iterator[dt.datetime]:
        for months in count(first.year * 12 + first.month - 1):
            year, month = months // 12, months % 12 + 1
            date = dt.date(year, month, min(self.day, calendar.monthrange(year, month)[1]))
            if date >= first:
                yield dt.datetime.combine(date, self.at)


@dataclass(frozen=True, slots=True)
class EveryDays:
    days: int
    start: dt.date
    at: dt.time

    def local_ends(self, first: dt.date) -> Iterator[dt.datetime]:
        steps = max(0, -((self.start - first).days // self.days))  # rounded up
        return (dt.datetime.combine(self.start + dt.timedelta(days=self.days * step), self.at) for step in count(steps))


@dataclass(frozen=True, slots=True)
class Dates:
    moments: tuple[dt.datetime, ...]  # without a time zone, in order

    def local_ends(self, first: dt.date) -> Iterator[dt.datetime]:
        return (moment for moment in self.moments if moment.date() >= first)


Schedule = Weekly | Monthly | EveryDays | Dates


def read_schedule(text: str) -> Schedule:
    """Read a schedule; raises BadSchedule."""
    line = " ".join(text.lower().split())
    if found := _WEEKLY.fullmatch(line):
        if found["day"] not in _WEEKDAYS:
            raise BadSchedule(f"{found['day']!r} is no weekday; write Monday to Sunday.")
        return Weekly(_WEEKDAYS.index(found["day"]), _read_time(found["at"]))
    if found := _MONTHLY.fullmatch(line):
        day = int(found["day"])
        if not 1 <= day <= 31:
            raise BadSchedule(f"A month has no day {day}; write 1 to 31.")
        return Monthly(day, _read_time(found["at"]))
    if found := _EVERY.fullmatch(line):
        days = int(found["days"])
        if not 1 <= days <= MOST_DAYS:
            raise BadSchedule(f"Seasons last 1 to {MOST_DAYS:,} days, not {days}.")
        return EveryDays(days, _read_date(found["date"]), _read_time(found["at"]))
    if line.startswith("on "):
        return Dates(tuple(sorted({_read_moment(part.strip()) for part in _parts(line)})))
    raise BadSchedule(f"“{text}” is no schedule. Write one of: {'; '.join(EXAMPLES)}.")


def next_end(schedule: Schedule, after: dt.datetime, zone: ZoneInfo) -> dt.datetime | None:
    """The first end after a moment, in UTC; None if no dates are left. `zone`: the mode's time zone."""
    yesterday = after.astimezone(zone).date() - dt.timedelta(days=1)
    try:
        for local in schedule.local_ends(yesterday):
            end = local.replace(tzinfo=zone).astimezone(dt.UTC)
            if end > after:
                return end
    except (OverflowError, ValueError):
        return None  # after the last year of calendars
    return None


def _parts(line: str) -> list[str]:
    parts = line.removeprefix("on ").split(",")
    if len(parts) > MOST_DATES:
        raise BadSchedule(f"A schedule has at most {MOST_DATES} dates, not {len(parts)}.")
    return parts


def _read_moment(text: str) -> dt.datetime:
    found = _DATE.fullmatch(text)
    if found is None:
        raise BadSchedule(f"“{text}” is no date; write such as 2026-03-01 at 18:00.")
    return dt.datetime.combine(_read_date(found["date"]), _read_time(found["at"]))


def _read_date(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise BadSchedule(f"There is no date {text}.") from error


def _read_time(text: str | None) -> dt.time:
    hour, minute = map(int, (text or "0:00").split(":"))
    try:
        return dt.time(hour, minute)
    except ValueError as error:
        raise BadSchedule(f"There is no time {text}.") from error
