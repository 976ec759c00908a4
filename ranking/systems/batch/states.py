"""Players' states as columns (see `State`); NaN if a system has no such number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from ranking.systems.base import State
from ranking.systems.batch.columns import Bools, Floats, Ints

COUNT = "skill_matches"
HIDDEN = ("mu", "sigma", "volatility", COUNT)
DISPLAY = "display_hundredths"
FIELDS = (*HIDDEN, DISPLAY)


@dataclass(frozen=True, slots=True)
class States:
    """`known` is False for a player before their first match, who enters it as a newcomer by the parameters then."""

    known: Bools
    display_hundredths: Ints
    mu: Floats
    sigma: Floats
    volatility: Floats
    skill_matches: Floats  # whole numbers

    def __len__(self) -> int:
        return len(self.known)

    def __getitem__(self, index: int) -> State:
        hidden = {name: getattr(self, name)[index].item() for name in HIDDEN}
        known: dict[str, Any] = {name: None if np.isnan(value) else value for name, value in hidden.items()}
        if known[COUNT] is not None:
            known[COUNT] = int(known[COUNT])
        return State(display_hundredths=int(self.display_hundredths[index]), **known)

    def put(self, indices: int | Ints, state: State) -> None:
        """Set one state at all these indices."""
        self.known[indices] = True
        for name in FIELDS:
            value = getattr(state, name)
            getattr(self, name)[indices] = nan if value is None else value

    def take(self, indices: Ints) -> States:
        """A copy of the states at these indices, in their order."""
        return States(*(getattr(self, name)[indices] for name in ("known", DISPLAY, *HIDDEN)))

    def set(self, indices: Ints, states: States) -> None:
        """Set the states at these indices, in their order; the inverse of `take`."""
        for name in ("known", *FIELDS):
            getattr(self, name)[indices] = getattr(states, name)

    @staticmethod
    def joined(parts: Sequence[States]) -> States:
        """The states of all parts, in order."""
        return States(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("known", DISPLAY, *HIDDEN))
        )

    def copy(self) -> States:
        return States(self.known.copy(), *(getattr(self, name).copy() for name in (DISPLAY, *HIDDEN)))


def newcomers(count: int) -> States:
    """The states of `count` players who haven't played."""
    return States(np.zeros(count, bool), np.zeros(count, np.int64), *(np.full(count, nan) for _ in HIDDEN))


def states_of(states: Iterable[State | None]) -> States:
    """Columns from single states; None for a newcomer."""
    rows = list(states)
    columns = newcomers(len(rows))
    for index, state in enumerate(rows):
        if state is not None:
            columns.put(index, state)
    return columns
