"""What systems predicted: the chances of decided pairs of teams, and what is known about those pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.trials.core.accuracy import losses_of
from ranking.trials.core.timeline import SeedStretch, Stretch


@dataclass(frozen=True, slots=True)
class Predictions:
    """By decided pair, in the order of the replay: the first team's chance, and whether it won.

    `match`: the number of its match. `ended_at`: POSIX seconds. `experience`: the mean number of earlier matches of
    both teams' players.
    """

    chances: Floats
    won: Bools
    match: Ints
    ended_at: Floats
    experience: Floats

    def __len__(self) -> int:
        return len(self.chances)

    @property
    def losses(self) -> Floats:
        """The log-loss of each."""
        return losses_of(self.chances, self.won)


@dataclass(slots=True)
class PredictionLog:
    """Collects the predictions of a replay, and counts its matches."""

    matches: int = 0
    _columns: list[tuple[Any, ...]] = field(default_factory=list)

    def note(self, stretch: Stretch | SeedStretch, chances: Floats) -> None:
        if isinstance(stretch, SeedStretch) or stretch.is_forfeit:
            return
        pairs = stretch.pairs
        self._columns.append((chances, pairs.won, self.matches + pairs.match, stretch.ended_at, stretch.experience))
        self.matches += len(stretch.matches)

    def predictions(self) -> Predictions:
        """All so far, except for pairs to which the system gives no chance."""
        if not self._columns:
            return Predictions(*(np.zeros(0, kind) for kind in (float, bool, np.int64, float, float)))
        columns = [np.concatenate(column) for column in zip(*self._columns, strict=True)]
        given = ~np.isnan(columns[0])
        return Predictions(*(column[given] for column in columns))
