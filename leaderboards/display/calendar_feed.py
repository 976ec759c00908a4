"""Writes an iCalendar file (RFC 5545): moments without a duration, in UTC. Pure.

A dozen lines of our own, because a feed has one kind of component and no time zones; a library would be a dependency of
every installation.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_LONGEST = 75  # octets of a line without its CRLF, by section 3.1
_ESCAPED = re.compile(r"[\\;,]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
# A calendar needs a component, so this one stands there even if there is no event.
_UTC = (
    "BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000", "TZNAME:UTC", "END:STANDARD", "END:VTIMEZONE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """A moment in a calendar. `uid`: the same whenever the event is written again, on this site and no other."""

    uid: str
    at: dt.datetime
    summary: str
    url: str


def write_calendar(name: str, events: Iterable[CalendarEvent], now: dt.datetime) -> bytes:
    """The file of a calendar of this name, as it is now."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Rungs//Seasons//EN", f"X-WR-CALNAME:{_text(name)}", *_UTC]
    for event in events:
        lines += [
            "BEGIN:VEVENT", f"UID:{_text(event.uid)}", f"DTSTAMP:{_moment(now)}", f"DTSTART:{_moment(event.at)}",
            f"SUMMARY:{_text(event.summary)}", f"URL:{event.url}", "TRANSP:TRANSPARENT", "END:VEVENT",
        ]  # fmt: skip
    return b"".join(part + b"\r\n" for line in (*lines, "END:VCALENDAR") for part in _fold(line))


def _text(value: str) -> str:
    """A TEXT value, section 3.3.11; control characters, which it can't have, become spaces."""
    return _ESCAPED.sub(r"\\\g<0>", _CONTROL.sub(" ", value))


def _moment(value: dt.datetime) -> str:
    return f"{value.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"


def _fold(line: str) -> Iterator[bytes]:
    """Cut a line into parts of 75 octets at most, never inside a character. Each but the first begins with a space."""
    part = b""
    for character in line:
        octets = character.encode()
        if len(part) + len(octets) > _LONGEST:
            yield part
            part = b" "
        part += octets
    yield part
