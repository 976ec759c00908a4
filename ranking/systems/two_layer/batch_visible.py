"""Two-layer's visible layer on tables (see visible.py and performance.py).

If the last digits of a float could decide a whole point, the row is NaN, and the replay asks the scalar face.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.shared.gaussian_arrays import all_Phi
from ranking.systems.two_layer.system import TwoLayer

DOUBTFUL = 1e-7  # points


class TeamTables(NamedTuple):
    """The teams of a group: arrays by row, team and seat, or by row alone."""

    there: Floats  # 1 for a player, 0 for padding
    outcome: Floats  # by row, for players who stayed: 1 if the first team won, 0 for a draw, −1 if the second won
    ahead: Floats  # by row: z, weighted by presence
    ahead_whole: Floats  # by row: z as if nobody had left
    tilt: Floats | None  # the share of a change that stats would move; None if nobody has stats
    left: Bools | None  # None if nobody left
    worst: Bools | None  # True for a player whose stats count as the worst there could have been; None for nobody


def whole_points(system: TwoLayer, sides: TeamTables, sigma: Floats, mmr: Floats) -> Floats:
    """r by row, team and seat; NaN in a row with a close call."""
    expected = _expectation(system, sides.ahead)
    scores = 0.5 + 0.5 * np.multiply.outer(sides.outcome, [1.0, -1.0])[:, :, None]
    if sides.left is not None:
        expected = np.where(sides.left, _expectation(system, sides.ahead_whole), expected)
        scores = np.where(sides.left, 0.0, scores)
    caps = np.where(expected < 0.5, system.cap_upset, system.cap_win)
    stakes = _stakes(system, expected, scores, sigma, mmr, caps) * sides.there
    doubtful = (np.abs(expected - 0.5) < DOUBTFUL) & (
        np.abs(stakes) * (1 + system.performance) > min(system.cap_win, system.cap_upset) - DOUBTFUL
    )
    changes = stakes if sides.tilt is None else _tilted(system, sides, sides.tilt, stakes, scores, caps)
    points, close = _shared_out(changes, stakes.sum(axis=2), sides.there)
    points[doubtful.any(axis=(1, 2)) | close.any(axis=1)] = np.nan
    return points if sides.worst is None else _worst(system, sides.worst, stakes, points)


def _worst(system: TwoLayer, worst: Bools, stakes: Floats, points: Floats) -> Floats:
    """The points, where `worst` those with the worst stats; NaN for a close call."""
    changes = np.maximum(-system.cap_loss, stakes - system.performance * np.abs(stakes))
    whole = np.rint(changes)
    whole[~(np.abs(np.abs(changes - whole) - 0.5) > DOUBTFUL)] = np.nan
    return np.where(worst, whole, points)


def _expectation(system: TwoLayer, ahead: Floats) -> Floats:
    """E of both teams, by row, team and 1."""
    chances = np.stack([all_Phi(ahead / system.flatten), all_Phi(-ahead / system.flatten)], axis=1)
    return np.clip(chances, system.expected_min, 1 - system.expected_min)[:, :, None]


def _stakes(system: TwoLayer, expected: Floats, scores: Floats, sigma: Floats, mmr: Floats, caps: Floats) -> Floats:
    """g, the change of each MMR before stats and rounding."""
    uncertain = np.clip((sigma - system.sigma_min) / (system.sigma - system.sigma_min), 0, 1)
    change = (system.k_min + (system.k_max - system.k_min) * uncertain) * (scores - expected)
    change *= _upset(system, expected, scores)
    if system.favourite_relief:
        ahead = np.clip((expected - 0.5) / (0.5 - system.expected_min), 0, 1)
        change *= np.where(change < 0, 1 - system.favourite_relief * ahead, 1.0)
    how_far = np.clip((mmr - system.elite_from) / (system.elite_to - system.elite_from), 0, 1)
    change *= 1 + (np.where(change > 0, system.elite_gain, system.elite_loss) - 1) * how_far
    return np.clip(change, -system.cap_loss, caps)


def _upset(system: TwoLayer, expected: Floats, scores: Floats) -> Floats:
    surprise = np.where(scores == 1, 0.5 - expected, 0.0)
    if system.amplify_losses:
        surprise = np.where(scores == 0, expected - 0.5, surprise)
    size = np.clip(surprise / (0.5 - system.expected_min), 0, 1)
    upset: Floats = 1 + (system.upset_max - 1) * size**system.upset_exponent
    return upset


def _tilted(system: TwoLayer, sides: TeamTables, tilt: Floats, stakes: Floats, scores: Floats, caps: Floats) -> Floats:
    """f: g, moved by stats between the team-mates of teams that won or lost."""
    tilt = np.where(sides.outcome[:, None, None] == 0, 0.0, tilt)
    least, most = np.where(scores == 1, 0.0, -system.cap_loss), np.where(scores == 1, caps, 0.0)
    moved = np.clip(stakes + tilt * np.abs(stakes), least, most) - stakes
    moved *= (tilt != 0) * sides.there
    gained = np.maximum(moved, 0).sum(axis=2, keepdims=True)
    lost = np.maximum(-moved, 0).sum(axis=2, keepdims=True)
    both = np.minimum(gained, lost)
    side = np.where(moved > 0, gained, lost)
    changes: Floats = stakes + np.divide(moved * both, side, out=np.zeros_like(moved), where=both > 0)
    return changes


def _shared_out(changes: Floats, totals: Floats, there: Floats) -> tuple[Floats, Bools]:
    """The changes as whole numbers that add up to the rounded totals, each less than 1 from its change.

    Also, by row and team, True for a close call, either of a rounding or of who gets a point that is left over.
    """
    rounded, total = np.rint(changes), np.rint(totals)
    close = ~(np.abs(np.abs(changes - rounded) - 0.5).min(axis=2) > DOUBTFUL)
    close |= ~(np.abs(np.abs(totals - total) - 0.5) > DOUBTFUL)
    missing = total - rounded.sum(axis=2)
    step = np.where(missing > 0, 1.0, -1.0)[:, :, None]
    excess = np.where(there > 0, step * (rounded - changes), np.inf)
    order = np.argsort(excess, axis=2, kind="stable")
    position = np.argsort(order, axis=2)
    short = np.abs(missing)[:, :, None]
    gets = position < short
    last = np.where(gets, excess, -np.inf).max(axis=2)
    following = np.where(gets, np.inf, excess).min(axis=2)
    close |= (short[:, :, 0] > 0) & ~(following - last > DOUBTFUL)
    return rounded + step * gets, close
