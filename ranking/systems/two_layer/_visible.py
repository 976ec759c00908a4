"""Two-layer's visible layer, steps 1 to 5 (see system.py): the change of each MMR before stats and rounding.

All values are those before the match. A leaver's change is computed from the chance of the whole team (E0), so that
nobody gains by leaving. The change of a player who stayed is computed from the chance of the players present (E), so
that nobody is punished for a team-mate who left.
"""

from __future__ import annotations

from typing import NamedTuple

from ranking.systems.shared.maths import FLOATS
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer.hidden import TwoLayerSkill
from ranking.systems.two_layer.params import TwoLayerParams


class Stake(NamedTuple):
    """The factors of one player's change: w·k·(score − expected)·upset·relief·elite, within the caps."""

    k: float
    score: float
    expected: float
    upset: float
    relief: float
    elite: float
    cap: float  # the most that the player can gain
    change: float  # g
    share: float = 1.0  # w, by which k counts


class Push(NamedTuple):
    """What the players of a team with the same result have in common."""

    score: float
    expected: float
    upset: float
    relief: float  # if they lose
    cap: float


def push_of(params: TwoLayerParams, expected: float, score: float) -> Push:
    """`score`: 1 won, 0.5 drawn, 0 lost or left; `expected`: E, or E0 for leavers."""
    return Push(
        score,
        expected,
        formulas.upset(params, expected, score, FLOATS),
        formulas.relief(params, expected, FLOATS),
        formulas.cap(params, expected, FLOATS),
    )


def stake_of(params: TwoLayerParams, skill: TwoLayerSkill, push: Push, share: float) -> Stake:
    """The stake of one player; `share`: w."""
    score, expected, upset, relief, cap = push
    k = formulas.stake(params, skill.sigma, FLOATS)
    change = share * k * formulas.push(score, expected, upset)
    if change < 0:
        change *= relief
    else:
        relief = 1.0
    elite = formulas.elite(params, skill.mmr, change, FLOATS)
    change = formulas.capped(params, change * elite, cap, FLOATS)
    return Stake(k, score, expected, upset, relief, elite, cap, change, share)
