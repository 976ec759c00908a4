"""Measures the accuracy of predictions: share of errors, log-loss, Brier score, calibration (see docs/evaluation.md).

Teams with a calibrated chance of 70 % win 70 of 100 matches. The order of a match's teams means nothing, so no figure
depends on it: bins are by the favourite's chance, and the slope's regression has no intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from ranking.systems.batch.columns import Bools, Floats

CLIP = 1e-6  # chances are moved this far from 0 and 1 before they are scored
EVEN = 1e-9  # a chance this close to ½ predicts no winner
BINS = 10  # of equal width, from ½ to 1
Z95 = 1.959964  # standard deviations of a 95 % interval
_ROUNDS, _CLOSE, _FLATTEST = 100, 1e-12, 1e-12


@dataclass(frozen=True, slots=True)
class Figures:
    """The accuracy over decided matches or pairs; all None if there are none. Errors in per cent, log-loss in nats.

    `error` counts an even chance as wrong, `error_half` as half wrong. `slope` is None if no slope fits.
    """

    decided: int
    error: float | None = None
    error_half: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    slope: float | None = None


def figures_of(chances: Floats, won: Bools, weights: Floats | None = None) -> Figures:
    """The accuracy of the first teams' chances, given who won. `decided` is the sum of the weights; None: all are 1."""
    if not len(chances):
        return Figures(0)
    clipped = clip(chances)
    even = np.abs(chances - 0.5) < EVEN
    wrong = ~even & ((chances > 0.5) != won)
    mean = partial(np.average, weights=weights)
    return Figures(
        decided=len(chances) if weights is None else round(float(weights.sum())),
        error=100 * float(mean(wrong | even)),
        error_half=100 * float(mean(wrong + 0.5 * even)),
        log_loss=float(mean(losses_of(chances, won))),
        brier=float(mean((clipped - won) ** 2)),
        slope=slope(clipped, won, weights),
    )


def losses_of(chances: Floats, won: Bools) -> Floats:
    """The log-loss of each prediction."""
    clipped = clip(chances)
    losses: Floats = -np.log(np.where(won, clipped, 1 - clipped))
    return losses


def clip(chances: Floats) -> Floats:
    return np.clip(chances, CLIP, 1 - CLIP)


@dataclass(frozen=True, slots=True)
class Bin:
    """Matches whose favourite had a chance in a range: mean chance, share won, and its 95 % interval."""

    count: int
    chance: float
    share: float
    low: float
    high: float


def bins(chances: Floats, won: Bools) -> tuple[Bin, ...]:
    """The bins that hold a match, from even matches up. An even match has no favourite and counts as half won."""
    favourite = np.maximum(chances, 1 - chances)
    share = np.where(np.abs(chances - 0.5) < EVEN, 0.5, (chances > 0.5) == won)
    index = np.minimum(((favourite - 0.5) * 2 * BINS).astype(np.int64), BINS - 1)
    counts = np.bincount(index, minlength=BINS)
    chance_sums = np.bincount(index, weights=favourite, minlength=BINS)
    share_sums = np.bincount(index, weights=share, minlength=BINS)
    return tuple(
        _bin(int(count), float(chance / count), float(wins / count))
        for count, chance, wins in zip(counts, chance_sums, share_sums, strict=True)
        if count
    )


def _bin(count: int, chance: float, share: float) -> Bin:
    """A bin with Wilson's score interval."""
    weight = Z95**2 / count
    middle = (share + weight / 2) / (1 + weight)
    reach = Z95 * sqrt(share * (1 - share) / count + weight / (4 * count)) / (1 + weight)
    return Bin(count, chance, share, middle - reach, middle + reach)


def slope(chances: Floats, won: Bools, weights: Floats | None = None) -> float | None:
    """The b for which 1/(1 + exp(−b·logit p)) fits outcomes best: 1 = calibrated, below 1 = overconfident.

    It maximises the likelihood by Newton's method, and halves a step until the likelihood rises. None if no b is best:
    if every chance is even, or every favourite won, or every favourite lost. `chances` lie strictly between 0 and 1.
    `weights`: None if all count 1.
    """
    logits = np.log(chances) - np.log1p(-chances)
    towards = np.where(won, logits, -logits)  # the logit of the outcome
    if np.max(np.abs(towards), initial=0.0) < _FLATTEST or np.all(towards >= 0) or np.all(towards <= 0):
        return None
    weight = 1.0 if weights is None else weights
    b, likelihood = 0.0, _likelihood(towards, weight, 0.0)
    for _ in range(_ROUNDS):
        surprise = 1 / (1 + np.exp(np.clip(b * towards, -700, 700)))
        curvature = float(np.sum(weight * towards**2 * surprise * (1 - surprise)))
        step = float(np.sum(weight * towards * surprise)) / max(curvature, _FLATTEST)
        while (stepped := _likelihood(towards, weight, b + step)) < likelihood and abs(step) > _CLOSE:
            step /= 2
        b, likelihood = b + step, stepped
        if abs(step) <= _CLOSE * max(1.0, abs(b)):
            break
    return b


def _likelihood(towards: Floats, weight: Floats | float, b: float) -> float:
    """The log-likelihood of the outcomes."""
    return float(-np.sum(weight * np.logaddexp(0.0, -b * towards)))
