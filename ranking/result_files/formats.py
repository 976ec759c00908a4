"""Recognises the format of a file of results by how it begins, and says what else a file looks like. Pure."""

from __future__ import annotations

import json
import re
from typing import Any

from ranking.result_files.options import CSV, FORMATS, JSON_ARRAY, JSON_LINES, BadFile

HEAD = 65_536  # bytes from a file's beginning that tell its format
LINE = (
    '{"id":"m1","mode":"duel","ended_at":"2026-01-31T18:00:00Z","teams":[{"score":3,"players":[{"id":"ann"}]},'
    '{"score":1,"players":[{"id":"bob"}]}]}'
)
HEADINGS = "player1,player2,score1,score2,ended_at"
WORKS = f"A line that works: {LINE} — or CSV, below the line {HEADINGS}: ann,bob,3,1,2026-01-31"
RECIPES = "docs/importing.md has recipes"
_FIELDS = {"teams", "mode", "ended_at", "started_at"}
_SIGNATURES = {
    b"PK\x03\x04": "is an Excel workbook or another ZIP file; save its sheet as “CSV UTF-8”",
    b"\xd0\xcf\x11\xe0": "is an Excel workbook; save its sheet as “CSV UTF-8”",
    b"\x1f\x8b": "is compressed; unpack it by gunzip",
    b"\xff\xfe": "is text in UTF-16; save it in UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it in UTF-8",
    b"SQLite format 3": "is an SQLite database; export its table of matches as CSV",
    b"%PDF": "is a PDF",
}
_PGN = re.compile(rb'\[\s*[A-Za-z]\w*\s+"')


def find_format(head: bytes, asked: str = "") -> str:
    """The format of the file that begins so: `asked`, if it isn't "", else by the content. Raises BadFile.

    The sentence goes on after the file's name.
    """
    if asked and asked not in FORMATS:
        raise BadFile(f"can't be read as {asked!r}: the formats are {', '.join(FORMATS)}.")
    for signature, sentence in _SIGNATURES.items():
        if head.startswith(signature):
            raise _refused(sentence)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise _refused("is empty")
    if b"\0" in head:
        raise _refused("isn't a text file")
    if b"\r" in text.rstrip() and b"\n" not in text:
        raise _refused("has lines that end as on old Macs (CR alone); save it with the line ends of Windows or Unix")
    return asked or _by_content(text)


def _by_content(text: bytes) -> str:
    if _PGN.match(text):
        raise _refused(f"looks like PGN; {RECIPES}")
    if text.startswith(b"["):
        return JSON_ARRAY
    if text.startswith(b"<"):
        raise _refused("looks like XML or HTML")
    if not text.startswith(b"{"):
        return CSV
    first, *more = [line for line in text.splitlines() if line.strip()][:2]
    if more and not more[0].lstrip().startswith(b"{") and _object_of(first) is None:
        raise _refused(f"looks like one JSON object over several lines: write one result a line; {RECIPES}")
    if (found := _object_of(first)) is not None:
        check_result(found)
    return JSON_LINES


def check_result(value: Any) -> None:
    """Raise BadFile if the first value of a file has nothing of a result."""
    if isinstance(value, dict) and not _FIELDS & value.keys():
        names = ", ".join(repr(name[:40]) for name in list(value)[:5]) or "no fields"
        raise _refused(f"is JSON, but not of results: its first object has {names}; {RECIPES}")


def _object_of(line: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refused(sentence: str) -> BadFile:
    return BadFile(f"{sentence}. {WORKS}")
