"""Positions: which part of a board a request asks for, read from the parameters of its address."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ranking.database.cursors import BadCursor, pack_cursor, unpack_cursor
from ranking.database.microseconds import moment_at
from ranking.wording.translation import gettext

LONGEST_KEY = 128


class BadPosition(ValueError):
    """The board has no such part; the message is a sentence for the person who asked."""


class Cursor(NamedTuple):
    """The sort key of a board's row; `reached` is a moment in microseconds since 1970."""

    board_order: int
    reached: int
    id: int

    @property
    def reached_at(self) -> dt.datetime:
        return moment_at(self.reached)

    def __str__(self) -> str:
        return pack_cursor(self)


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
    """The rows from the first one of this rank on."""

    rank: int


@dataclass(frozen=True, slots=True)
class FromPlace:
    """The rows from this place on: players with the same rank have a place each, in the order of the board."""

    place: int


@dataclass(frozen=True, slots=True)
class Around:
    """The row of the player with this key, and the rows above and below it."""

    key: str


Position = Top | After | Before | AtRank | FromPlace | Around


def read_position(parameters: Mapping[str, str]) -> Position:
    """Return the position that rank, around, from, after or before gives, the first of them; raise BadPosition."""
    if rank := parameters.get("rank", "").strip():
        return AtRank(_read_number(rank, gettext("A rank is a whole number from 1 on.")))
    if key := parameters.get("around", ""):
        if "\0" in key or len(key) > LONGEST_KEY:
            raise BadPosition(gettext("There is no such player."))
        return Around(key)
    if place := parameters.get("from", "").strip():
        return FromPlace(_read_number(place, gettext("That page doesn't exist (any more).")))
    if after := parameters.get("after"):
        return After(read_cursor(after))
    if before := parameters.get("before"):
        return Before(read_cursor(before))
    return Top()


def read_cursor(text: str) -> Cursor:
    """Return the cursor that `str` wrote; raise BadPosition."""
    try:
        cursor = Cursor(*unpack_cursor(text))
        moment_at(cursor.reached)
    except (BadCursor, OverflowError) as error:
        raise BadPosition(gettext("That page doesn't exist (any more).")) from error
    return cursor


def _read_number(text: str, otherwise: str) -> int:
    """Return a whole number from 1 on; raise BadPosition with the sentence `otherwise`."""
    digits = text.replace(",", "").replace(" ", "").lstrip("#")
    if not (digits.isascii() and digits.isdecimal()) or not 1 <= len(digits) <= 18 or int(digits) < 1:
        raise BadPosition(otherwise)
    return int(digits)
