"""Where a page of a board begins: the sort key of the row before it, opaque and safe in an address. Pure.

A cursor holds nothing secret and opens nothing: whatever it says, the page is one of the same board.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import struct
from dataclasses import dataclass

_KEY = struct.Struct(">qqq")  # board order, microseconds since 1970, id
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


class BadCursor(ValueError):
    """A cursor that nobody was given."""


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    """The sort key of a board's row."""

    board_order: int
    reached_at: dt.datetime
    id: int

    @property
    def key(self) -> tuple[int, int, int]:
        """The same in whole numbers: the moment as microseconds since 1970."""
        return self.board_order, (self.reached_at - _EPOCH) // _MICROSECOND, self.id

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(_KEY.pack(*self.key)).decode()


def moment_at(microseconds: int) -> dt.datetime:
    """So long after 1970 began."""
    return _EPOCH + microseconds * _MICROSECOND


def cursor_of(board_order: int, microseconds: int, row: int) -> Cursor:
    """The cursor with this key."""
    return Cursor(board_order, moment_at(microseconds), row)


def read_cursor(text: str) -> Cursor:
    """The inverse of str(); raises BadCursor."""
    try:
        return cursor_of(*_KEY.unpack(base64.b64decode(text.encode("ascii"), b"-_", validate=True)))
    except (UnicodeEncodeError, binascii.Error, struct.error, OverflowError) as error:
        raise BadCursor("That page doesn't exist (any more).") from error
