"""The rating brackets of battle points: K and the shutout modifier by a player's rating."""

from __future__ import annotations

import json
from itertools import pairwise
from math import inf
from typing import NamedTuple

from ranking.systems.shared import fields as read
from ranking.wording.translation import gettext_noop


class Bracket(NamedTuple):
    """K and the modifier for ratings of at most `up_to`; None has no upper bound."""

    up_to: int | None
    k: float
    modifier: float  # of a shutout


class Brackets(tuple[Bracket, ...]):
    """Brackets in ascending order; as a string, the JSON that they are read from."""

    __slots__ = ()

    def __str__(self) -> str:
        return json.dumps(self)


# The brackets of Math Battle.
BRACKETS = Brackets(
    [Bracket(1200, 32.0, 1.2), Bracket(1500, 28.0, 1.5), Bracket(2000, 24.0, 1.8), Bracket(None, 16.0, 2.1)]
)


def read_brackets(value: object, path: str) -> Brackets:
    """Brackets from rows such as [1200, 32, 1.2], in ascending order; the last row is up to null; raises Refused."""
    rows = read.sequence(list(value) if isinstance(value, tuple) else value, path)
    if not rows:
        raise read.Malformed(path, gettext_noop("%(field)s must have at least one row."))
    brackets = Brackets(_read_bracket(row, f"{path}[{index}]") for index, row in enumerate(rows))
    bounds = [inf if bracket.up_to is None else bracket.up_to for bracket in brackets]
    if bounds[-1] < inf or any(low >= high for low, high in pairwise(bounds)):
        sentence = gettext_noop("%(field)s must go upwards, and only the last row must be up to null.")
        raise read.Malformed(path, sentence)
    return brackets


def _read_bracket(row: object, path: str) -> Bracket:
    values = read.sequence(list(row) if isinstance(row, tuple) else row, path)
    if len(values) != 3:
        sentence = gettext_noop("%(field)s must be [up to, K, modifier], not %(value)s.")
        raise read.Malformed(path, sentence, value=read.shown(row))
    return Bracket(
        up_to=None if values[0] is None else read.integer(values[0], f"{path}[0]", least=0),
        k=float(read.number(values[1], f"{path}[1]", least=0, most=1e6)),
        modifier=float(read.number(values[2], f"{path}[2]", least=0, most=1e3)),
    )
