"""Which part of a board somebody asks for, read from the address. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leaderboards.cursors import BadCursor, Cursor, read_cursor

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
