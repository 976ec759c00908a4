"""Players' states in columns, as the database keeps them (see State); NaN where a system has no such number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np

from ranking.systems.base import State
from ranking.systems.batch.columns import Bools, Floats, Ints

HIDDEN = ("mu", "sigma", "volatility")
DISPLAY = "display_hundredths"
FIELDS = (*HIDDEN, DISPLAY)


@dataclass(frozen=True, slots=True)
class States:
    """`known` is False for who hasn't played: a newcomer by the parameters in force at their first match."""

    known: Bools
    display_hundredths: Ints
    mu: Floats
    sigma: Floats
    volatility: Floats

    def __len__(self) -> int:
        return len(self.known)

    def __getitem__(self, index: int) -> State:
        hidden = {name: getattr(self, name)[index].item() for name in HIDDEN}
        return State(
            display_hundredths=int(self.display_hundredths[index]),
            **{name: None if np.isnan(value) else value for name, value in hidden.items()},
        )

    def put(self, indices: int | Ints, state: State) -> None:
        """The same state for all of these."""
        self.known[indices] = True
        for name in FIELDS:
            value = getattr(state, name)
            getattr(self, name)[indices] = nan if value is None else value

    def take(self, indices: Ints) -> States:
        """A copy of these, in the order given."""
        return States(*(getattr(self, name)[indices] for name in ("known", DISPLAY, *HIDDEN)))

    def set(self, indices: Ints, states: States) -> None:
        """The inverse: what becomes of these."""
        for name in ("known", *FIELDS):
            getattr(self, name)[indices] = getattr(states, name)

    def copy(self) -> States:
        return States(self.known.copy(), *(getattr(self, name).copy() for name in (DISPLAY, *HIDDEN)))


def newcomers(count: int) -> States:
    """So many players who haven't played."""
    return States(np.zeros(count, bool), np.zeros(count, np.int64), *(np.full(count, nan) for _ in HIDDEN))


def states_of(states: Iterable[State | None]) -> States:
    """From plain states; None for a newcomer."""
    given = list(states)
    columns = newcomers(len(given))
    for index, state in enumerate(given):
        if state is not None:
            columns.put(index, state)
    return columns
