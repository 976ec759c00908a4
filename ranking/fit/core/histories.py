"""A history to fit to: its matches in the order of time as columns, and what happened between them.

The order is by season, then time of end, then the order in which the matches were given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule, Result, State, System
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.history import (
    History,
)

LOST, WON, TIED, UNCOUNTED = range(4)  # the outcome for the first of two teams


@dataclass(frozen=True, slots=True)
class SeedStep:
    """A player enters a season with a rating that they brought along: a state of the system `of`."""

    player: int
    of: System[Any]
    state: State


@dataclass(frozen=True, slots=True)
class ForfeitStep:
    """A match that was dropped: it moves the dropper alone. `players`: numbers by team; `seat`: team and slot."""

    result: Result[None]
    players: tuple[tuple[int, ...], ...]
    seat: tuple[int, int]


Step = ResetRule | SeedStep | ForfeitStep  # a reset is of all players


@dataclass(frozen=True, slots=True)
class FitHistory:
    """`outcome`: by match, for the first of two teams. `steps`: before which match something happened, in order."""

    history: History
    players: int
    ended_at: Floats  # POSIX seconds, by match
    outcome: Ints
    steps: tuple[tuple[int, Step], ...] = ()

    @property
    def matches(self) -> int:
        return self.history.matches

    @property
    def fit_matches(self) -> int:
        """The number of matches in the fit part: the first two thirds."""
        return 2 * self.matches // 3

    @property
    def decided(self) -> Bools:
        return self.outcome < TIED

    def last(self, matches: int) -> FitHistory:
        """The last matches alone, with what happened between them."""
        first = max(0, self.matches - matches)
        if not first:
            return self
        return FitHistory(
            _enters_anew(self.history.part(first, self.matches)), self.players, self.ended_at[first:],
            self.outcome[first:], tuple((index - first, step) for index, step in self.steps if index > first),
        )  # fmt: skip

    def digest(self) -> str:
        """A text that differs if the history does."""
        hashed = sha256(repr((self.steps, sorted(self.history.stats))).encode())
        for column in (self.ended_at, self.outcome, self.history.player, self.history.score, self.history.place):
            hashed.update(np.ascontiguousarray(column).tobytes())
        return hashed.hexdigest()[:32]


def _enters_anew(history: History) -> History:
    """Idle time and counted matches from before the first match are forgotten."""
    order = np.argsort(history.player, kind="stable")
    ordered = history.player[order]
    first = order[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(order) else order
    idle = np.array(history.idle_days)
    idle[first] = 0.0
    return replace(history, idle_days=idle)
