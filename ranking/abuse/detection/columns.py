"""A mode's history as columns, one row for each player's part in a match, in the order of the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ranking.abuse.stretches import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Columns:
    """Times are POSIX seconds, ratings hundredths; what isn't known is NaN.

    `won` is 1, ½ or 0, nought for who left; `chance` that of the player's team before the match; `score` the team's,
    `own` the player's; `device` tells the keys of devices apart, −1 where none was given.
    """

    sequence: Ints
    match: Ints
    ended_at: Floats
    duration: Floats
    player: Ints
    team: Ints
    won: Floats
    left: Bools
    seconds: Floats
    chance: Floats
    before: Ints
    after: Ints
    score: Floats
    own: Floats
    device: Ints

    def __len__(self) -> int:
        return len(self.match)


_TYPES: Mapping[str, Any] = {"Ints": np.int64, "Floats": np.float64, "Bools": np.bool_}


def columns_of(given: Mapping[str, Any]) -> Columns:
    """Columns of values in any order; those that aren't given are unknown."""
    rows = len(given["match"])
    unknown = {"Ints": -1, "Floats": np.nan, "Bools": False}
    arrays = {
        field.name: np.asarray(given.get(field.name, np.full(rows, unknown[str(field.type)])), _TYPES[str(field.type)])
        for field in fields(Columns)
    }
    order = np.lexsort((arrays["player"], arrays["team"], arrays["match"], arrays["sequence"]))
    return Columns(**{name: array[order] for name, array in arrays.items()})
