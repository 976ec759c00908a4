"""Measures the accuracy of predictions: share of errors, log-loss, Brier score (see docs/evaluation.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.evaluation.core.calibration import EVEN, slope
from ranking.evaluation.core.replay import Predictions

CLIP = 1e-6  # chances are moved this far from 0 and 1 before they are scored

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figures:
    """The accuracy over decided matches; all None if there are none. Errors in per cent, log-loss in nats.

    `error` counts an even chance as wrong, `error_half` as half wrong. `slope` is None if no slope fits.
    """

    decided: int
    error: float | None = None
    error_half: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    slope: float | None = None


def figures_of(predictions: Predictions) -> Figures:
    chances, won = columns(predictions)
    if not len(chances):
        return Figures(0)
    even = np.abs(chances - 0.5) < EVEN
    wrong = ~even & ((chances > 0.5) != won)
    clipped = clip(chances)
    return Figures(
        decided=len(chances),
        error=100 * float(np.mean(wrong | even)),
        error_half=100 * float(np.mean(wrong + 0.5 * even)),
        log_loss=float(-np.mean(np.log(np.where(won, clipped, 1 - clipped)))),
        brier=float(np.mean((clipped - won) ** 2)),
        slope=slope(clipped, won),
    )


def columns(predictions: Predictions) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Chances and outcomes as NumPy arrays."""
    return np.array(predictions.chances, dtype=np.float64), np.array(predictions.won, dtype=np.bool_)


def clip(chances: Floats) -> Floats:
    return np.clip(chances, CLIP, 1 - CLIP)
