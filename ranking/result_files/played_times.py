"""Reads when matches were played, as files have them: year first, seconds since 1970, or by a format. Pure."""

from __future__ import annotations

import datetime as dt
import re
from itertools import product
from typing import Any

from ranking.result_files.options import BadFile

_WHOLE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)", re.ASCII)
_YEAR_FIRST = re.compile(
    r"(\d{4})([-/.])(\d\d?)\2(\d\d?)(?:(?:T|,? +)(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?"
    r" ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_EIGHT_DIGITS = re.compile(r"(1[5-9]|[2-8]\d)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", re.ASCII)
_SECONDS = re.compile(r"\d{9,10}(\.\d+)?", re.ASCII)
_MILLISECONDS = re.compile(r"\d{12,13}", re.ASCII)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DATES = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y",
    "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d-%b-%Y", "%Y%m%d", "%Y-%m-%d", "%Y/%m/%d", "%Y %b %d",
)  # fmt: skip
_CLOCKS = ("", " %H:%M", " %H:%M:%S", ", %H:%M", ", %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %I:%M%p", ", %I:%M %p",
           ", %I:%M:%S %p", "T%H:%M:%S")  # fmt: skip
EXAMPLES = "2026-01-31, 2026-01-31 18:00 or 2026-01-31T18:00:00Z"


class UnknownFormat(BadFile):
    """A date may well be one, but nobody said in which format."""


class PlayedTimes:
    """Reads the times of one file. `assumed_utc`: a time had no offset, and no zone was given."""

    def __init__(self, date_format: str = "", zone: dt.tzinfo | None = None) -> None:
        self.date_format, self.zone, self.assumed_utc = date_format, zone, False
        self._has_clock = bool(re.search("%[HIXcsfT]", date_format))

    def read(self, value: Any) -> tuple[Any, bool]:
        """The time as the API takes it, and whether it is a day alone. What is no text and no number stays as it is.

        Raises UnknownFormat, or ValueError with a sentence.
        """
        if isinstance(value, float | int) and not isinstance(value, bool):
            value = repr(value)
        if not isinstance(value, str):
            return value, False
        text = " ".join(value.split())
        if self.date_format:
            return self._by_format(text)
        if _EIGHT_DIGITS.fullmatch(text):  # with the year last, its first digits would be no month or day
            text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
        if _WHOLE.fullmatch(text):
            return text, False
        if _SECONDS.fullmatch(text) or _MILLISECONDS.fullmatch(text):
            microseconds = int(text) * 1_000 if _MILLISECONDS.fullmatch(text) else round(float(text) * 1_000_000)
            return (_EPOCH + dt.timedelta(microseconds=microseconds)).isoformat(), False
        if (match := _YEAR_FIRST.fullmatch(text)) is None:
            raise _unknown(text)
        year, _, month, day, hour, minute, second, fraction, offset = match.groups()
        clock = (int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "0").ljust(6, "0")[:6]))
        try:
            moment = dt.datetime(int(year), int(month), int(day), *clock)  # noqa: DTZ001 - its zone comes now
        except ValueError as error:
            raise ValueError(f"there is no such time as {text!r}: {error}.") from None
        if offset and offset not in ("Z", "UTC"):
            digits = f"{offset[1:].replace(':', '')}00"
            zone = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
            return self._whole(moment.replace(tzinfo=dt.timezone(zone if offset[0] == "+" else -zone))), False
        return self._whole(moment.replace(tzinfo=dt.UTC) if offset else moment), hour is None

    def _by_format(self, text: str) -> tuple[str, bool]:
        try:
            moment = dt.datetime.strptime(text, self.date_format)  # noqa: DTZ007 - its zone comes now
        except ValueError:
            raise ValueError(f"{text[:40]!r} isn't a date in the format {self.date_format}.") from None
        return self._whole(moment), not self._has_clock

    def _whole(self, moment: dt.datetime) -> str:
        if moment.tzinfo is None:
            self.assumed_utc = self.assumed_utc or self.zone is None
            moment = moment.replace(tzinfo=self.zone or dt.UTC)
        try:
            return moment.astimezone(dt.UTC).isoformat()
        except OverflowError:
            raise ValueError(f"there is no such time as {moment.year}.") from None


def _unknown(text: str) -> ValueError:
    """UnknownFormat, with the formats that the text may have; a plain error if it has none."""
    if formats := possible_formats(text):
        names = " or ".join(f'"{one}"' for one in formats)
        return UnknownFormat(f"{text!r} doesn't begin with the year; say the date format (--date-format): {names}.")
    return ValueError(f"{text[:40]!r} isn't a time such as {EXAMPLES}.")


def possible_formats(text: str) -> list[str]:
    """The usual formats of dates that this text may be written in, three at most."""
    found: list[str] = []
    if len(text) > 40:
        return found
    for date, clock in product(_DATES, _CLOCKS):
        try:
            dt.datetime.strptime(text, date + clock)  # noqa: DTZ007 - nobody keeps it
        except ValueError:
            continue
        found.append(date + clock)
    return found[:3]
