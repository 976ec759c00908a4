"""A history to fit to: its matches in the order of time as columns, and what happened between them.

The order is by season, then time of end, then the order in which the matches were given. A match is predicted by its
decided pairs of teams, which share one weight. Of a match of many teams, some pairs are drawn: the others tell little
more, and take memory and time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule, Result, State, System
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.history import History
from ranking.systems.batch.pairs import Pairs, decided_pairs

LOST, WON, TIED, UNCOUNTED = range(4)  # the outcome for the first of two teams
MOST_PAIRS = 45  # of a match: all of those between ten teams
MOST_DUELS = 500_000  # pairs of all matches of more than two teams, but one of each at least
_AT_ONCE = 256  # matches, all of whose pairs fit into memory


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


@dataclass(frozen=True)
class FitHistory:
    """`steps`: before which match something happened, in order."""

    history: History
    players: int
    ended_at: Floats  # POSIX seconds, by match
    steps: tuple[tuple[int, Step], ...] = ()

    @property
    def matches(self) -> int:
        return self.history.matches

    @property
    def fit_matches(self) -> int:
        """The number of matches in the fit part: the first two thirds."""
        return 2 * self.matches // 3

    @cached_property
    def pairs(self) -> Pairs:
        """The decided pairs of teams that are predicted."""
        return _drawn_pairs(self.history)

    @property
    def fit_pairs(self) -> int:
        """The number of pairs in the fit part."""
        return int(np.searchsorted(self.pairs.match, self.fit_matches))

    @cached_property
    def weights(self) -> Floats:
        """By pair: its share in its match, which counts once."""
        return 1 / np.bincount(self.pairs.match, minlength=self.matches)[self.pairs.match]

    @property
    def decided(self) -> Bools:
        """By match: True if it is predicted."""
        return np.bincount(self.pairs.match, minlength=self.matches) > 0

    @cached_property
    def outcome(self) -> Ints:
        """By match, for the first of two teams; UNCOUNTED for a match of more teams."""
        two = np.diff(self.history.team_starts) == 2
        outcome, own = np.where(two, TIED, UNCOUNTED), self.pairs.take(two[self.pairs.match])
        outcome[own.match] = np.where(own.won, WON, LOST)
        return outcome

    def last(self, matches: int) -> FitHistory:
        """The last matches alone, with what happened between them."""
        first = max(0, self.matches - matches)
        if not first:
            return self
        return FitHistory(
            _enters_anew(self.history.part(first, self.matches)), self.players, self.ended_at[first:],
            tuple((index - first, step) for index, step in self.steps if index > first),
        )  # fmt: skip

    def digest(self) -> str:
        """A text that differs if the history does."""
        hashed = sha256(repr((self.steps, sorted(self.history.stats))).encode())
        for column in (self.ended_at, self.pairs.won, self.history.player, self.history.score, self.history.place):
            hashed.update(np.ascontiguousarray(column).tobytes())
        return hashed.hexdigest()[:32]


def _drawn_pairs(history: History) -> Pairs:
    """The decided pairs of a history; of a match of more than two teams MOST_PAIRS at most, drawn with a fixed seed."""
    many, rng = np.diff(history.team_starts) > 2, np.random.default_rng(0)
    most = min(MOST_PAIRS, max(1, MOST_DUELS // max(1, int(many.sum()))))
    blocks = []
    for first in range(0, history.matches, _AT_ONCE):
        block = history.part(first, min(first + _AT_ONCE, history.matches))
        pairs = decided_pairs(block)
        order = np.lexsort((rng.random(len(pairs)), pairs.match))
        place = np.arange(len(pairs)) - np.searchsorted(pairs.match, pairs.match)  # in its match, of this order
        drawn = pairs.take(np.sort(order[(place < most) | ~many[first + pairs.match]]))
        team = history.team_starts[first]
        blocks.append((first + drawn.match, team + drawn.first, team + drawn.second, drawn.won))
    return Pairs(*map(np.concatenate, zip(*blocks, strict=True))) if blocks else Pairs.none()


def _enters_anew(history: History) -> History:
    """Idle time and counted matches from before the first match are forgotten."""
    order = np.argsort(history.player, kind="stable")
    ordered = history.player[order]
    first = order[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(order) else order
    idle = np.array(history.idle_days)
    idle[first] = 0.0
    return replace(history, idle_days=idle)
