"""Reads JSON values strictly: each refusal says which field is wrong, what it must be and what it was.

Parameters, skills and the calculator's lines are read by it. A bool is never a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Any

from ranking.systems.base import Refused
from ranking.wording.translation import gettext_noop

LONGEST_TEXT = 128  # characters of an id, or of any other string


class Malformed(Refused):
    """A field can't be read; `path` names it, such as `teams[1].players[0].seconds`, and is the sentence's subject."""

    def __init__(self, path: str, sentence: str, **values: object) -> None:
        super().__init__(sentence, path, **{"field": path, **values})

    def at(self, path: str) -> Malformed:
        """The same refusal of a field at another path, or by another name."""
        return Malformed(path, self.sentence, **{**self.values, "field": path})


def shown(value: object) -> str:
    """`value` for quoting in a sentence: a long one is cut, so that no answer repeats a megabyte."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them."""
    return ", ".join(names) or "none"


def mapping(value: object, path: str) -> Mapping[str, object]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise Malformed(path, gettext_noop("%(field)s must be an object, not %(value)s."), value=shown(value))
    return value


def only_known(fields: Mapping[str, object], known: Iterable[str], path: str, *, ignored: Iterable[str] = ()) -> None:
    """Raise Malformed for an unknown key: a misspelt key must not count as one left out."""
    names, silent = tuple(known), tuple(ignored)
    for name in fields:
        if name not in names and name not in silent:
            sentence = gettext_noop("%(field)s has an unknown field %(name)s; known are %(known)s.")
            raise Malformed(path, sentence, name=shown(name), known=listed(names))


def number(value: object, path: str, *, least: float = -inf, most: float = inf, above: float = -inf) -> float:
    """A finite number in [least, most] and greater than `above`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(path, gettext_noop("%(field)s must be a number, not %(value)s."), value=shown(value))
    try:
        finite = isfinite(value)
    except OverflowError:  # an int beyond every float
        finite = False
    if not finite:
        raise Malformed(path, gettext_noop("%(field)s must be a finite number, not %(value)s."), value=shown(value))
    _check_range(value, path, least=least, most=most, above=above)
    return value


def integer(value: object, path: str, *, least: float = -inf, most: float = inf, above: float = -inf) -> int:
    """A whole number in [least, most] and greater than `above`, written as one: 2, not 2.0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed(path, gettext_noop("%(field)s must be a whole number, not %(value)s."), value=shown(value))
    _check_range(value, path, least=least, most=most, above=above)
    return value


def boolean(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise Malformed(path, gettext_noop("%(field)s must be true or false, not %(value)s."), value=shown(value))
    return value


def text(value: object, path: str) -> str:
    """A string that isn't empty, has at most LONGEST_TEXT characters and can be written as UTF-8."""
    if not isinstance(value, str) or not value:
        raise Malformed(
            path, gettext_noop("%(field)s must be a string that isn't empty, not %(value)s."), value=shown(value)
        )
    if len(value) > LONGEST_TEXT:
        sentence = "%(field)s must have at most %(most)s characters, not %(length)s."
        raise Malformed(path, sentence, most=LONGEST_TEXT, length=f"{len(value):,}")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise Malformed(path, "%(field)s must be text, and %(value)s has half of a surrogate pair.", value=shown(value))
    return value


def one_of(value: object, options: Iterable[str], path: str) -> str:
    """One of these strings."""
    names = tuple(options)
    if not isinstance(value, str) or value not in names:
        sentence = gettext_noop("%(field)s must be one of %(options)s, not %(value)s.")
        raise Malformed(path, sentence, options=listed(names), value=shown(value))
    return value


def sequence(value: object, path: str) -> list[Any]:
    """A JSON array."""
    if not isinstance(value, list):
        raise Malformed(path, gettext_noop("%(field)s must be an array, not %(value)s."), value=shown(value))
    return value


def _check_range(value: float, path: str, *, least: float, most: float, above: float) -> None:
    if value < least:
        sentence = gettext_noop("%(field)s must be at least %(bound)s, not %(value)s.")
        raise Malformed(path, sentence, bound=f"{least:g}", value=shown(value))
    if value > most:
        sentence = gettext_noop("%(field)s must be at most %(bound)s, not %(value)s.")
        raise Malformed(path, sentence, bound=f"{most:g}", value=shown(value))
    if value <= above:
        sentence = gettext_noop("%(field)s must be greater than %(bound)s, not %(value)s.")
        raise Malformed(path, sentence, bound=f"{above:g}", value=shown(value))
