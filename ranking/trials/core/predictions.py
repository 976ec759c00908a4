"""What systems predicted, and how predictions differ: with an interval, by experience, by upset, and over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.trials.core.accuracy import Z95, Figures, figures_of, losses_of
from ranking.trials.core.timeline import SeedStretch, Stretch

EXPERIENCE = ((0, 10), (10, 50), (50, None))  # mean number of earlier matches of a pair's players: from, to
UPSETS = ((0.3, 0.5), (0.15, 0.3), (0.0, 0.15))  # the underdog's chance, small upsets first
WINDOWS = 20  # points of a course, at most
LEAST_WINDOW = 50  # predictions


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
    _columns: list[tuple[object, ...]] = field(default_factory=list)

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


@dataclass(frozen=True, slots=True)
class Difference:
    """A system's log-loss less that of `against`, with its 95 % interval; below 0 the system is better.

    It is that of the paired differences. The pairs of teams of one match count as one observation.
    """

    against: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ByExperience:
    """The figures of pairs whose players had `low` to below `high` earlier matches on average; None: no limit."""

    low: int
    high: int | None
    figures: Figures


@dataclass(frozen=True, slots=True)
class ByUpset:
    """The pairs whose underdog had a chance from `low` to below `high`: how often it won, and was expected to."""

    low: float
    high: float
    decided: int
    upsets: int
    expected: float


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """The mean log-loss of the predictions up to number `until`, from the point before it on."""

    until: int
    log_loss: float


def difference(one: Predictions, other: Predictions, against: str) -> Difference | None:
    """None if the two didn't predict the same pairs, or too few matches for an interval."""
    if len(one) != len(other) or not np.array_equal(one.match, other.match):
        return None
    gaps = one.losses - other.losses
    _, cluster = np.unique(one.match, return_inverse=True)
    sums, sizes = np.bincount(cluster, gaps), np.bincount(cluster)
    count = len(sums)
    if count < 2:
        return None
    mean = float(gaps.mean())
    spread = float(np.sum((sums - mean * sizes) ** 2))
    reach = Z95 * sqrt(spread * count / (count - 1)) / len(gaps)
    return Difference(against, mean, mean - reach, mean + reach)


def by_experience(predictions: Predictions) -> Iterator[ByExperience]:
    for low, high in EXPERIENCE:
        chosen = predictions.experience >= low
        if high is not None:
            chosen &= predictions.experience < high
        yield ByExperience(low, high, figures_of(predictions.chances[chosen], predictions.won[chosen]))


def by_upset(predictions: Predictions) -> Iterator[ByUpset]:
    """An even chance counts among the smallest upsets, half won."""
    underdog = np.minimum(predictions.chances, 1 - predictions.chances)
    upset = np.where(predictions.won, predictions.chances, 1 - predictions.chances) < 0.5
    for low, high in UPSETS:
        chosen = (underdog >= low) & ((underdog < high) | (high == UPSETS[0][1]))
        yield ByUpset(low, high, int(chosen.sum()), int(upset[chosen].sum()), float(underdog[chosen].sum()))


def course(predictions: Predictions) -> Iterator[CoursePoint]:
    """Windows of equally many predictions, in order."""
    windows = max(1, min(WINDOWS, len(predictions) // LEAST_WINDOW))
    edges = np.linspace(0, len(predictions), windows + 1).astype(int).tolist()
    losses = predictions.losses
    for first, last in pairwise(edges):
        if last > first:
            yield CoursePoint(last, float(losses[first:last].mean()))
