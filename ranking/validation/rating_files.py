"""Reads files of ratings that players bring along: CSV, one player a line.

The columns are the player's id, a name, the rating, and optionally its deviation, the matches that it rests on and its
volatility. A first line with these names, or with those that libraries give them, says in which order they come; then
the name may be missing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rest_framework.exceptions import ValidationError

from ranking.systems.foreign_scales import ForeignRating
from ranking.validation.fields import NameField, PlayerKeyField

COLUMNS = ("id", "name", "rating", "deviation", "matches", "volatility")
NEEDED = 3  # the first so many columns, in a file without names of columns
_HEADINGS = {
    **{name: name for name in COLUMNS},
    "player": "id", "player id": "id", "player_id": "id", "key": "id",
    "mu": "rating", "skill[0]": "rating",
    "sigma": "deviation", "rd": "deviation", "uncertainty": "deviation", "skill[1]": "deviation",
    "vol": "volatility",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,25})?(e-[0-9]{1,3})?")  # a float near 0 is written as 1e-05
_COUNT = re.compile(r"[0-9]{1,10}")
_KEY, _NAME = PlayerKeyField(max_length=128), NameField()

Columns = Mapping[str, tuple[int, str]]  # by name: the place of a column, and what the file calls it


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A player's line. `name` "": made from the key."""

    number: int
    key: str
    name: str
    given: ForeignRating


@dataclass(frozen=True, slots=True)
class LineFault:
    """What is wrong with the line of this number, as a sentence."""

    number: int
    sentence: str


def read_ratings(file: Iterable[bytes]) -> tuple[list[RatingLine], list[LineFault]]:
    """Read a whole file: the good lines, and the faults of the others. Blank lines are left out."""
    lines: list[RatingLine] = []
    faults: list[LineFault] = []
    first: dict[str, int] = {}  # by player: the number of their line
    columns: Columns | None = None
    for number, cells in _rows(file, faults):
        if columns is None and (columns := _heading(cells)) is not None:
            continue
        columns = columns or {name: (place, name) for place, name in enumerate(COLUMNS)}
        try:
            line = _line(number, cells, columns)
        except ValueError as fault:
            faults.append(LineFault(number, str(fault)))
            continue
        if (earlier := first.setdefault(line.key, number)) != number:
            faults.append(LineFault(number, f"the player {line.key!r} is in line {earlier} already."))
            continue
        lines.append(line)
    return lines, faults


def _rows(file: Iterable[bytes], faults: list[LineFault]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that has some; notes lines that are no text or no CSV."""
    for number, line in enumerate(file, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
            cells = next(csv.reader([text], strict=True), [])
        except UnicodeDecodeError:
            faults.append(LineFault(number, "this isn't UTF-8 text."))
        except csv.Error as error:
            faults.append(LineFault(number, f"this isn't CSV: {error}."))
        else:
            if any(cell.strip() for cell in cells):
                yield number, [cell.strip() for cell in cells]


def _heading(cells: Sequence[str]) -> Columns | None:
    """The columns, if these are the names of some; else None."""
    names = [_HEADINGS.get(cell.casefold(), "") for cell in cells]
    if "" in names or len(set(names)) < len(names) or not {"id", "rating"} <= set(names):
        return None
    return {name: (place, cells[place]) for place, name in enumerate(names)}


def _line(number: int, cells: Sequence[str], columns: Columns) -> RatingLine:
    """Raises ValueError with a sentence."""
    least = min(NEEDED, len(columns))
    if not least <= len(cells) <= len(columns):
        raise ValueError(f"a line has {least} to {len(columns)} columns, and this one has {len(cells)}.")

    def given(name: str) -> tuple[str, str]:
        place, heading = columns.get(name, (len(cells), name))
        return heading, cells[place] if place < len(cells) else ""

    key, name, matches = (given(name)[1] for name in ("id", "name", "matches"))
    if matches and not _COUNT.fullmatch(matches):
        raise ValueError(f"{given('matches')[0]} is a whole number, not {matches[:40]!r}.")
    deviation, volatility = (given(name) for name in ("deviation", "volatility"))
    return RatingLine(
        number,
        _checked("id", _KEY, key),
        _checked("name", _NAME, name) if name else "",
        ForeignRating(
            _number(*given("rating")),
            float(_number(*deviation)) if deviation[1] else None,
            float(_number(*volatility)) if volatility[1] else None,
            int(matches or 0),
        ),
    )


def _checked(name: str, field: PlayerKeyField | NameField, text: str) -> str:
    try:
        return field.to_internal_value(text)
    except ValidationError as error:
        raise ValueError(f"{name}: {error.detail[0]}") from error  # type: ignore[index]  # a list of one


def _number(name: str, text: str) -> Decimal:
    if not text:
        raise ValueError(f"{name} is missing; give a number such as 1520.5.")
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{name} is a number such as 1520.5, not {text[:40]!r}.")
    return Decimal(text)
