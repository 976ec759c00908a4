"""The formulas of two-layer (see system.py for their source), for a match by floats and for a history by arrays.

Whole points are shared out in performance.py, and on tables in batch_visible.py, which leaves close calls to a match.
"""

from __future__ import annotations

from typing import Any

from ranking.systems.shared.formulas import drifted
from ranking.systems.shared.maths import Maths, Numbers
from ranking.systems.two_layer.params import TwoLayerParams

LEAST_WEIGHT = 0.10  # of a leaver
DOUBT = 0.05  # sigma grows by this share if a player leaves at once
FURTHEST = 2.0  # robust standard deviations of stats; more don't count


def variance(params: TwoLayerParams, sigma: Numbers) -> Numbers:
    """s² = sigma² + tau²; `tau_by_sigma`: tau is a newcomer's, and in proportion to sigma."""
    tau = params.tau * sigma / params.sigma if params.tau_by_sigma else params.tau
    return drifted(sigma * sigma, tau)


def weight(share: Numbers, m: Maths) -> Numbers:
    """w of a leaver; `share`: p, the share of the match that they were present for."""
    return m.maximum(share, LEAST_WEIGHT)


def lesson(z: Numbers, outcome: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """v, with the sign of the first team's move, and W, if the outcome is 1 or −1; of a draw they are −z and 1."""
    v, w, _ = m.above(outcome * z)
    return outcome * v, w


def doubt(share: Numbers) -> Numbers:
    """By how much a leaver's sigma grows."""
    return 1 + DOUBT * (1 - share)


def mean_after(mu: Numbers, s2: Numbers, w: Numbers, c: Numbers, v: Numbers) -> Numbers:
    """mu' = mu + w·s²/c·v."""
    return mu + w * s2 / c * v


def deviation_after(
    params: TwoLayerParams, s2: Numbers, w: Numbers, c: Numbers, shrink: Numbers, doubt: Numbers, m: Maths
) -> Numbers:
    """sigma' = √(s²·(1 − w²·s²/c²·W)), of leavers times their doubt, from `sigma_min` to a newcomer's."""
    sigma = m.sqrt(s2 * m.maximum(1 - w * w * s2 / (c * c) * shrink, 0.0)) * doubt
    return m.clip(sigma, params.sigma_min, params.sigma)


def expectation(params: TwoLayerParams, z: Numbers, m: Maths) -> Numbers:
    """E: a flattened chance, at least `expected_min`."""
    return m.clip(m.Phi(z / params.flatten), params.expected_min, 1 - params.expected_min)


def upset(params: TwoLayerParams, expected: Numbers, score: Numbers, m: Maths) -> Numbers:
    """The multiplier of an unexpected win, and of an unexpected loss if losses are amplified."""
    direction = 2 * score - 1
    if not params.amplify_losses:
        direction = m.maximum(direction, 0.0)
    size = _share(direction * (0.5 - expected), 0.0, 0.5 - params.expected_min, m)
    return 1 + (params.upset_max - 1) * size**params.upset_exponent


def relief(params: TwoLayerParams, expected: Numbers, m: Maths) -> Numbers:
    """The share of its loss that a favourite bears."""
    return 1 - params.favourite_relief * _share(expected, 0.5, 1 - params.expected_min, m)


def push(score: Numbers, expected: Numbers, upset: Numbers) -> Numbers:
    """What k is multiplied by, but for the relief and the elite band: (S − E)·upset."""
    return (score - expected) * upset


def stake(params: TwoLayerParams, sigma: Numbers, m: Maths) -> Numbers:
    """k: the less certain a skill, the more is at stake."""
    return params.k_min + (params.k_max - params.k_min) * _share(sigma, params.sigma_min, params.sigma, m)


def elite(params: TwoLayerParams, mmr: Numbers, change: Numbers, m: Maths) -> Numbers:
    """At the top, gains shrink and losses grow."""
    most = m.where(change > 0, params.elite_gain, params.elite_loss)
    return 1 + (most - 1) * _share(mmr, params.elite_from, params.elite_to, m)


def cap(params: TwoLayerParams, expected: Numbers, m: Maths) -> Numbers:
    """The most that a player can gain."""
    return m.where(expected < 0.5, params.cap_upset, params.cap_win)


def capped(params: TwoLayerParams, change: Numbers, cap: Numbers, m: Maths) -> Numbers:
    """g: the change within the caps."""
    return m.clip(change, -params.cap_loss, cap)


def tilt(params: TwoLayerParams, deviations: Numbers, m: Maths) -> Numbers:
    """The share of a change that stats would move to a player, who stands so far from the team's median."""
    return params.performance / FURTHEST * m.clip(deviations, -FURTHEST, FURTHEST)


def moved(params: TwoLayerParams, change: Numbers, tilt: Numbers, won: Any, cap: Numbers, m: Maths) -> Numbers:
    """By how much stats would move a change: a winner loses nothing, a loser gains nothing, and the caps hold."""
    least, most = m.where(won, 0.0, -params.cap_loss), m.where(won, cap, 0.0)
    return m.clip(change + tilt * abs(change), least, most) - change


def worst_change(params: TwoLayerParams, change: Numbers, m: Maths) -> Numbers:
    """f of a player who lost, if their stats had been the worst that can be; `change`: g."""
    return m.maximum(change - params.performance * abs(change), -params.cap_loss)


def _share(value: Numbers, low: float, high: float, m: Maths) -> Numbers:
    """How far a value is on the way from `low` to `high`, 0 to 1."""
    return m.clip((value - low) / (high - low), 0, 1)
