"""Measures display ratings during a replay: their distribution, and whether they inflate."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.evaluation.core.replay import Held, Who
from ranking.svg import round_width
from ranking.systems.base import System
from ranking.systems.shared.display import hundredths

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
    """The display rating and the last match of every player so far, in columns that grow."""

    def __init__(self) -> None:
        self._rows: dict[Who, int] = {}
        self._hundredths = array("q")
        self._last = array("d")

    def update(self, system: System[Any], changed: Mapping[Who, Held]) -> None:
        for who, held in changed.items():
            row = self._rows.setdefault(who, len(self._rows))
            if row == len(self._last):
                self._hundredths.append(0)
                self._last.append(0.0)
            self._hundredths[row] = hundredths(system.display(held.skill))
            self._last[row] = held.last_ended_at

    def hundredths_of(self, who: Who) -> int | None:
        row = self._rows.get(who)
        return None if row is None else self._hundredths[row]

    def active(self, at: float, window: float | None) -> npt.NDArray[np.float64]:
        """Display ratings, in points, of players whose last match ended within `window` seconds before `at`."""
        points = np.array(self._hundredths, dtype=np.float64) / 100
        return points if window is None else points[np.array(self._last) >= at - window]

    def levels(self, at: float, window: float | None) -> RatingLevels:
        points = self.active(at, window)
        return RatingLevels(at, float(points.mean()) if len(points) else 0.0, len(points))


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
