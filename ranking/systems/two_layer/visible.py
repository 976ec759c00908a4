"""Two-layer's visible layer, steps 1 to 5 (see system.py): the change of each MMR before stats and rounding.

All values are those before the match. A leaver's change is computed from the chance of the whole team (E0), so that
nobody gains by leaving. The change of a player who stayed is computed from the chance of the players present (E), so
that nobody is punished for a team-mate who left.
"""

from __future__ import annotations

from typing import NamedTuple

from ranking.systems.shared.gaussian import Phi
from ranking.systems.two_layer.hidden import TwoLayerSkill
from ranking.systems.two_layer.params import TwoLayerParams


class Stake(NamedTuple):
    """The factors of one player's change: k·(score − expected)·upset·relief·elite, within the caps."""

    k: float
    score: float
    expected: float
    upset: float
    relief: float
    elite: float
    cap: float  # the most that the player can gain
    change: float  # g


def expectation(params: TwoLayerParams, z: float) -> float:
    """E: a flattened chance, at least `expected_min`."""
    return clamp(Phi(z / params.flatten), params.expected_min, 1 - params.expected_min)


def stake_of(params: TwoLayerParams, skill: TwoLayerSkill, expected: float, score: float) -> Stake:
    """The stake of one player; `score`: 1 won, 0.5 drawn, 0 lost or left; `expected`: E, or E0 for a leaver."""
    uncertain = clamp((skill.sigma - params.sigma_min) / (params.sigma - params.sigma_min), 0, 1)
    k = params.k_min + (params.k_max - params.k_min) * uncertain
    upset = _upset(params, expected, score)
    change = k * (score - expected) * upset
    relief = _relief(params, expected) if change < 0 else 1.0
    change *= relief
    elite = _elite(params, skill.mmr, gains=change > 0)
    cap = params.cap_upset if expected < 0.5 else params.cap_win
    return Stake(k, score, expected, upset, relief, elite, cap, clamp(change * elite, -params.cap_loss, cap))


def _upset(params: TwoLayerParams, expected: float, score: float) -> float:
    """The multiplier of an unexpected win, and of an unexpected loss if losses are amplified."""
    if score == 1:
        surprise = 0.5 - expected
    elif score == 0 and params.amplify_losses:
        surprise = expected - 0.5
    else:
        return 1.0
    size = clamp(surprise / (0.5 - params.expected_min), 0, 1)
    power: float = size**params.upset_exponent
    return 1 + (params.upset_max - 1) * power


def _relief(params: TwoLayerParams, expected: float) -> float:
    """The share of its loss that a favourite bears."""
    return 1 - params.favourite_relief * clamp((expected - 0.5) / (0.5 - params.expected_min), 0, 1)


def _elite(params: TwoLayerParams, mmr: int, *, gains: bool) -> float:
    how_far = clamp((mmr - params.elite_from) / (params.elite_to - params.elite_from), 0, 1)
    return 1 + ((params.elite_gain if gains else params.elite_loss) - 1) * how_far


def clamp(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)
