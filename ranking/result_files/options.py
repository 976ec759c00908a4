"""How a file of results is to be read, and the texts in which people say so. Pure."""

from __future__ import annotations

import csv
import datetime as dt
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field

JSON_LINES, JSON_ARRAY, CSV = "jsonl", "json", "csv"
FORMATS = (JSON_LINES, JSON_ARRAY, CSV)
_ZONE = dt.timezone(dt.timedelta(hours=2))
_SAMPLE = dt.datetime(2004, 8, 16, 18, 30, 20, tzinfo=_ZONE)  # no day and month that could be each other


class BadFile(ValueError):
    """A file can't be read as a whole, or not in this way: one sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to read files.

    `format`: one of FORMATS; "": by the content. `mode`: of results that name none. `columns`: the field that each
    heading of CSV means. `date_format`: of all dates, as strptime has it; "": year first. `zone`: of times without an
    offset; None: UTC. `trim`: ids lose spaces at their ends and invisible characters.
    """

    format: str = ""
    mode: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    date_format: str = ""
    zone: dt.tzinfo | None = None
    trim: bool = False


def read_columns(text: str) -> dict[str, str]:
    """The field of each heading, from a text such as "date=ended_at,p1 points=score1"; raises BadFile.

    A line break separates pairs, too.
    """
    columns: dict[str, str] = {}
    try:
        pairs = [pair for line in csv.reader(text.splitlines()) for pair in line]
    except csv.Error as error:
        raise BadFile(
            f"Columns are pairs such as date=ended_at,p1 points=score1; these can't be read: {error}."
        ) from None
    for pair in filter(str.strip, pairs):
        heading, equals, name = pair.rpartition("=")
        if not equals or not heading.strip() or not name.strip():
            raise BadFile(f"Columns are pairs such as date=ended_at,p1 points=score1; {pair.strip()!r} is none.")
        columns[heading.strip()] = name.strip()
    return columns


def read_zone(text: str) -> dt.tzinfo | None:
    """The time zone of this name, or of an offset such as +02:00; None of no text; raises BadFile."""
    if not text:
        return None
    try:
        if text[0] in "+-":
            return dt.datetime.strptime(text, "%z").tzinfo
        return zoneinfo.ZoneInfo(text)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise BadFile(f"There is no time zone {text!r}; write one such as Europe/Berlin, or +02:00.") from None


def check_date_format(text: str) -> str:
    """Return the format; raises BadFile if a date that is written so can't be read again. "" is none."""
    if not text:
        return ""
    try:
        read = dt.datetime.strptime(_SAMPLE.strftime(text), text)  # noqa: DTZ007 - may have no zone
        if read.date() != _SAMPLE.date():
            raise ValueError
    except (ValueError, re.error):  # re's: a directive that is there twice
        raise BadFile(
            f"{text!r} isn't a date format: it needs day, month and year, such as %d.%m.%Y or %m/%d/%Y %I:%M %p."
        ) from None
    if read.hour not in (0, _SAMPLE.hour):
        raise BadFile(f"{text!r} isn't a date format: %I is an hour of twelve, which needs %p; %H is one of 24.")
    return text
