"""Which part of a board somebody asks for, read from the address. Pure."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import struct
from collections.abc import Mapping
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


LONGEST_KEY = 128


class BadPosition(ValueError):
    """A part of a board that there isn't; the message is for the one who asked."""


@dataclass(frozen=True, slots=True)
class Top:
    """The first page."""


@dataclass(frozen=True, slots=True)
class After:
    """The rows after this one."""

    cursor: Cursor


@dataclass(frozen=True, slots=True)
class Before:
    """The rows before this one."""

    cursor: Cursor


@dataclass(frozen=True, slots=True)
class AtRank:
    """From the first row of this rank on."""

    rank: int


@dataclass(frozen=True, slots=True)
class Around:
    """A player with those above and below them."""

    key: str


Position = Top | After | Before | AtRank | Around


def read_position(asked: Mapping[str, str]) -> Position:
    """The first of rank, around, after and before that is given, else the top; raises BadPosition."""
    if rank := asked.get("rank", "").strip():
        return AtRank(_read_rank(rank))
    if key := asked.get("around", ""):
        if "\0" in key or len(key) > LONGEST_KEY:
            raise BadPosition("There is no such player.")
        return Around(key)
    try:
        if after := asked.get("after"):
            return After(read_cursor(after))
        if before := asked.get("before"):
            return Before(read_cursor(before))
    except BadCursor as error:
        raise BadPosition(str(error)) from error
    return Top()


def _read_rank(text: str) -> int:
    plain = text.replace(",", "").replace(" ", "").lstrip("#")
    if not (plain.isascii() and plain.isdecimal()) or not 1 <= len(plain) <= 18 or int(plain) < 1:
        raise BadPosition("A rank is a whole number from 1 on.")
    return int(plain)
