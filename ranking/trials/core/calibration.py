"""Measures calibration: do teams with a chance of 70 % win 70 of 100 matches?

The order of a match's teams means nothing, so none of these figures depends on it: bins are by the favourite's chance,
and the slope's regression has no intercept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

EVEN = 1e-9  # a chance this close to ½ predicts no winner
BINS = 10  # of equal width, from ½ to 1
Z95 = 1.959964  # standard deviations of a 95 % interval
_ROUNDS, _CLOSE, _FLATTEST = 100, 1e-12, 1e-12


@dataclass(frozen=True, slots=True)
class Bin:
    """Matches whose favourite had a chance in a range: mean chance, share won, and its 95 % interval."""

    count: int
    chance: float
    share: float
    low: float
    high: float


def bins(chances: npt.NDArray[np.float64], won: npt.NDArray[np.bool_]) -> tuple[Bin, ...]:
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


def slope(
    chances: npt.NDArray[np.float64], won: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64] | None = None
) -> float | None:
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


def _likelihood(towards: npt.NDArray[np.float64], weight: npt.NDArray[np.float64] | float, b: float) -> float:
    """The log-likelihood of the outcomes."""
    return float(-np.sum(weight * np.logaddexp(0.0, -b * towards)))
