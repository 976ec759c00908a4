"""Measures display ratings during a replay: their distribution, and whether they inflate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.svg import round_width
from ranking.trials.core.replay import SystemReplay
from ranking.trials.core.timeline import Timeline, Who

BARS = 32  # at most


@dataclass(frozen=True, slots=True)
class RatingLevels:
    """The mean display rating of the players active at a time (POSIX seconds), and their number."""

    at: float
    mean: float
    players: int


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """`count` players have low ≤ display rating < high, in points; the last bar includes `high`."""

    low: float
    high: float
    count: int


class Population:
    """The display ratings of everybody who has been rated so far, and when each last played."""

    def __init__(self, replayed: SystemReplay, timeline: Timeline) -> None:
        self._replayed, self._timeline = replayed, timeline

    def hundredths_of(self, who: Who) -> int | None:
        pool, player = who
        number = self._timeline.pools[pool].numbers.get(player) if pool in self._timeline.pools else None
        if number is None or not (states := self._replayed.pools[pool].states).known[number]:
            return None
        return int(states.display_hundredths[number])

    def active(self, window: float | None) -> npt.NDArray[np.float64]:
        """Display ratings, in points, of players whose last match ended at most `window` seconds before the end."""
        points = []
        for name, pool in self._timeline.pools.items():
            last = np.array(pool.last)
            states = self._replayed.pools[name].states
            counted = states.known[: len(last)].copy()
            if window is not None:
                counted &= last >= self._timeline.now - window
            points.append(states.display_hundredths[: len(last)][counted] / 100)
        return np.concatenate(points) if points else np.zeros(0)

    def levels(self, window: float | None) -> RatingLevels:
        points = self.active(window)
        return RatingLevels(self._timeline.now, float(points.mean()) if len(points) else 0.0, len(points))


def distribution(points: npt.NDArray[np.float64], decimals: int) -> tuple[HistogramBar, ...]:
    """A histogram of at most BARS bars of a round width, which is at least the last decimal of the ratings."""
    if not len(points):
        return ()
    width = round_width(max(float(np.ptp(points)) / (BARS - 1), 10.0**-decimals))
    first = np.floor(points.min() / width + 1e-9)
    index = np.floor(points / width + 1e-9).astype(np.int64) - int(first)
    return tuple(
        HistogramBar(round((first + place) * width, 9), round((first + place + 1) * width, 9), int(count))
        for place, count in enumerate(np.bincount(index))
    )
