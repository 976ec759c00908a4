"""Reads JSON values strictly: each refusal says which field is wrong, what it must be and what it was.

Parameters, skills and the calculator's lines are read by it. A bool is never a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Any

from ranking.systems.base import Refused

LONGEST_TEXT = 128  # characters of an id, or of any other string


class Malformed(Refused):
    """A field can't be read; `path` names it, such as `teams[1].players[0].seconds`."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} {reason}", path)
        self.reason = reason


def shown(value: object) -> str:
    """`value` for quoting in a sentence: a long one is cut, so that no answer repeats a megabyte."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them."""
    return ", ".join(names) or "none"


def mapping(value: object, path: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise Malformed(path, f"must be an object, not {shown(value)}.")
    return value


def only_known(fields: Mapping[str, Any], known: Iterable[str], path: str, *, ignored: Iterable[str] = ()) -> None:
    """Raise Malformed for an unknown key: a misspelt key must not count as one left out."""
    names, silent = tuple(known), tuple(ignored)
    for name in fields:
        if name not in names and name not in silent:
            raise Malformed(path, f"has an unknown field {shown(name)}; known are {listed(names)}.")


def number(value: object, path: str, *, least: float = -inf, most: float = inf, above: float = -inf) -> float:
    """A finite number in [least, most] and greater than `above`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(path, f"must be a number, not {shown(value)}.")
    try:
        finite = isfinite(value)
    except OverflowError:  # an int beyond every float
        finite = False
    if not finite:
        raise Malformed(path, f"must be a finite number, not {shown(value)}.")
    _check_range(value, path, least=least, most=most, above=above)
    return value


def integer(value: object, path: str, *, least: float = -inf, most: float = inf, above: float = -inf) -> int:
    """A whole number in [least, most] and greater than `above`, written as one: 2, not 2.0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed(path, f"must be a whole number, not {shown(value)}.")
    _check_range(value, path, least=least, most=most, above=above)
    return value


def boolean(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise Malformed(path, f"must be true or false, not {shown(value)}.")
    return value


def text(value: object, path: str) -> str:
    """A string that isn't empty, has at most LONGEST_TEXT characters and can be written as UTF-8."""
    if not isinstance(value, str) or not value:
        raise Malformed(path, f"must be a string that isn't empty, not {shown(value)}.")
    if len(value) > LONGEST_TEXT:
        raise Malformed(path, f"must have at most {LONGEST_TEXT} characters, not {len(value):,}.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise Malformed(path, f"must be text, and {shown(value)} has half of a surrogate pair.")
    return value


def sequence(value: object, path: str) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise Malformed(path, f"must be an array, not {shown(value)}.")
    return value


def _check_range(value: float, path: str, *, least: float, most: float, above: float) -> None:
    if value < least:
        raise Malformed(path, f"must be at least {least:g}, not {shown(value)}.")
    if value > most:
        raise Malformed(path, f"must be at most {most:g}, not {shown(value)}.")
    if value <= above:
        raise Malformed(path, f"must be greater than {above:g}, not {shown(value)}.")
