"""Compares systems beyond one figure: the difference of two with its interval, by experience, by upset, over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np

from ranking.trials.core.accuracy import Figures, figures_of
from ranking.trials.core.calibration import Z95
from ranking.trials.core.predictions import Predictions

EXPERIENCE = ((0, 10), (10, 50), (50, None))  # mean number of earlier matches of a pair's players: from, to
UPSETS = ((0.3, 0.5), (0.15, 0.3), (0.0, 0.15))  # the underdog's chance, small upsets first
WINDOWS = 20  # points of a course, at most
LEAST_WINDOW = 50  # predictions


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
