"""A trial of one rating system on one history, chunk by chunk, and the evaluation at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

import numpy as np

from ranking.evaluation.core.accuracy import Figures, clip, columns, figures_of
from ranking.evaluation.core.calibration import Bin, bins
from ranking.evaluation.core.inflation import HistogramBar, Population, RatingLevels, distribution
from ranking.evaluation.core.replay import DAY, Held, PastMatch, Predictions, Who, replay
from ranking.systems.base import System

MOMENTS = 50  # times at which the mean rating is measured
LARGEST_CHUNK = 1_000  # matches
ACTIVE = 30 * DAY  # seconds for which a match keeps a player active, unless a mode has its own setting


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a trial.

    `inflation`: the mean display rating of the players active at the end, less a newcomer's, in rating points.
    `seconds`: the system's computing time, without reading.
    """

    system: str
    matches: int
    figures: Figures
    inflation: float | None
    seconds: float
    start: float  # a newcomer's display rating
    calibration: tuple[Bin, ...]
    distribution: tuple[HistogramBar, ...]
    moments: tuple[RatingLevels, ...]

    def row(self) -> dict[str, Any]:
        """The figures as `evaluate --json` gives them."""
        return {
            "system": self.system,
            "matches": self.matches,
            **asdict(self.figures),
            "inflation": self.inflation,
            "seconds": self.seconds,
        }


def chunk_size(total: int) -> int:
    """The number of matches in a chunk of a history of `total`: at most LARGEST_CHUNK, and at least MOMENTS chunks."""
    return min(LARGEST_CHUNK, max(1, ceil(total / MOMENTS)))


class Trial:
    """Takes a history of `total` matches in chunks; `window`: seconds for which a match keeps a player active."""

    def __init__(self, system: System[Any], total: int, window: float | None = ACTIVE) -> None:
        self.system = system
        self.population = Population()
        self.matches = 0
        self._window = window
        self._total = total
        self._between = max(1, ceil(total / MOMENTS))
        self._states: dict[Who, Held] = {}
        self._learnt: dict[str, System[Any]] = {}
        self._predictions = Predictions()
        self._now = -np.inf
        self._moments: list[RatingLevels] = []

    def take(self, chunk: Sequence[PastMatch]) -> None:
        """Predict and rate the next matches; raises Refused as `replay` does."""
        self._predictions.extend(replay(self.system, chunk, self._states, self._learnt))
        players = {who for match in chunk for who in match.moved}
        self.population.update(self.system, {who: self._states[who] for who in players})
        self._now = max(self._now, max(match.ended_at for match in chunk))
        measured = self.matches // self._between
        self.matches += sum(not match.dropper for match in chunk)
        if self.matches // self._between > measured or self.matches == self._total:
            self._moments.append(self.population.levels(self._now, self._window))

    def evaluation(self, seconds: float) -> Evaluation:
        """The evaluation so far; `seconds`: the total time of `take`."""
        points = self.population.active(self._now, self._window)
        start = float(self.system.display(self.system.newcomer()))
        chances, won = columns(self._predictions)
        return Evaluation(
            system=self.system.key,
            matches=self.matches,
            figures=figures_of(self._predictions),
            inflation=float(points.mean()) - start if len(points) else None,
            seconds=seconds,
            start=start,
            calibration=bins(clip(chances), won),
            distribution=distribution(points, self.system.decimals),
            moments=tuple(self._moments),
        )
