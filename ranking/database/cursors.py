"""Cursors: the sort key of a page's last row, written as text for the address of the next page. Pure.

A cursor holds nothing secret and grants nothing: whatever it contains, the page is one of the same list.
There are two forms: a list of texts, whole numbers and moments (JSON), and three whole numbers (24 bytes).
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json
import struct
from collections.abc import Sequence
from typing import Any

INT64 = range(-(2**63), 2**63)
_LONGEST_TEXT = 200
_THREE_INTEGERS = struct.Struct(">qqq")


class BadCursor(ValueError):
    """The text is no cursor that this site wrote."""

    def __init__(self) -> None:
        super().__init__("That page doesn't exist; follow `next` of the page before it.")


def write_cursor(key: Sequence[object]) -> str:
    """Return the cursor of a sort key of texts, whole numbers and moments."""
    values = [value.isoformat() if isinstance(value, dt.datetime) else value for value in key]
    return base64.urlsafe_b64encode(json.dumps(values, ensure_ascii=False).encode()).decode().rstrip("=")


def read_cursor(text: str, kinds: Sequence[str]) -> list[Any]:
    """Return the sort key of a cursor, one value of each kind ("text", "whole", "moment"); raise BadCursor."""
    try:
        key = json.loads(base64.b64decode(text.encode("ascii") + b"==", b"-_"))
        if not isinstance(key, list) or len(key) != len(kinds):
            raise ValueError("This is a cursor of another list.")
        return [_value(kind, value) for kind, value in zip(kinds, key, strict=True)]
    except (ValueError, RecursionError, binascii.Error) as error:
        raise BadCursor from error


def _value(kind: str, value: Any) -> Any:
    """Return a value that a database column of this kind takes; raise ValueError."""
    match kind, value:
        case "whole", int() if not isinstance(value, bool) and value in INT64:
            return value
        case "text", str() if len(value) <= _LONGEST_TEXT and "\0" not in value:
            value.encode()  # raises UnicodeEncodeError for half of a surrogate pair
            return value
        case "moment", str():
            moment = dt.datetime.fromisoformat(value)
            if moment.utcoffset() != dt.timedelta():
                raise ValueError("Moments in cursors are in UTC.")
            return moment
        case _:
            raise ValueError(f"This is no {kind}.")


def pack_cursor(key: tuple[int, int, int]) -> str:
    """Return the cursor of three whole numbers, each of 64 bits."""
    return base64.urlsafe_b64encode(_THREE_INTEGERS.pack(*key)).decode()


def unpack_cursor(text: str) -> tuple[int, int, int]:
    """Return the three whole numbers of a cursor; raise BadCursor."""
    try:
        first, second, third = _THREE_INTEGERS.unpack(base64.b64decode(text.encode("ascii"), b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, struct.error) as error:
        raise BadCursor from error
    return first, second, third
