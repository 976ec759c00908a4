"""Measures the accuracy of predictions: share of errors, log-loss, Brier score (see docs/evaluation.md)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.trials.core.calibration import EVEN, slope

CLIP = 1e-6  # chances are moved this far from 0 and 1 before they are scored


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
