"""Two-layer's hidden layer (see system.py): Gaussian skills, rated as two sums of performances.

A leaver counts for the part of the match that they were present for, and is rated as a player who lost. A part-time
player counts by their share (see shared/presence.py), also as if nobody had left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import NamedTuple

from ranking.systems.base import Entrant, Result, S
from ranking.systems.shared.formulas import team_variance
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.rules import duration_of, played
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer.params import TwoLayerParams


class TwoLayerSkill(NamedTuple):
    mu: float
    sigma: float
    mmr: int


@dataclass(frozen=True, slots=True)
class WeightedTeam:
    """A team with the weight, strength and variance of each player."""

    players: Sequence[Entrant[TwoLayerSkill]]
    shares: Sequence[float]  # p: the share of the match that the player was present for; 1 for one who stayed
    weights: Sequence[float]  # w
    whole: Sequence[float]  # w as if nobody had left: the shares of the match
    strengths: Sequence[float]  # mu, with the party bonus
    variances: Sequence[float]  # s² = sigma² + tau²


class Distance(NamedTuple):
    """The first team's lead over the second: z, in units of the deviation c."""

    z: float
    c: float

    def seen_by_other(self) -> Distance:
        return Distance(-self.z, self.c)


def weighted_team(
    params: TwoLayerParams, players: Sequence[Entrant[TwoLayerSkill]], result: Result[S] | None
) -> WeightedTeam:
    """The team in this match; without a result, the team before one."""
    duration, rounds = (duration_of(result), result.rounds) if result else (None, None)
    shares = [_share(player, duration, rounds) if result and player.left_early else 1.0 for player in players]
    parties = [player.party for player in players]
    return WeightedTeam(
        players=players,
        shares=shares,
        weights=[
            formulas.weight(p, FLOATS) if player.left_early else player.share
            for player, p in zip(players, shares, strict=True)
        ],
        whole=[player.share for player in players],
        strengths=[
            player.skill.mu + (params.party_bonus if player.party and parties.count(player.party) > 1 else 0.0)
            for player in players
        ],
        variances=[formulas.variance(params, player.skill.sigma) for player in players],
    )


def _share(player: Entrant[S], duration: float | None, rounds: int | None) -> float:
    if rounds and player.rounds_played is not None:
        return min(1.0, player.rounds_played / rounds)
    return played(player, duration)


def renormalised(side: WeightedTeam) -> Sequence[float]:
    """The weights, scaled so that they add up as if nobody had left."""
    q = fsum(side.whole) / fsum(side.weights)
    return [q * w for w in side.weights]


def distance(
    params: TwoLayerParams,
    sides: Sequence[WeightedTeam],
    weights: Sequence[Sequence[float] | None] = (None, None),
) -> Distance:
    """The distance between two teams with these weights; as if nobody had left if they are None."""
    means, variances = [], []
    for side, given in zip(sides, weights, strict=True):
        own = side.whole if given is None else given
        strengths = [w * mu for w, mu in zip(own, side.strengths, strict=True)]
        spread = [w * w * s2 for w, s2 in zip(own, side.variances, strict=True)]
        squares = fsum([w * w for w in own])
        means.append(fsum(strengths))
        variances.append(team_variance(fsum(spread), squares, params.beta))
    c = sqrt(variances[0] + variances[1])
    return Distance((means[0] - means[1]) / c, c)


def rate_hidden(params: TwoLayerParams, side: WeightedTeam, ahead: Distance, outcome: int) -> list[tuple[float, float]]:
    """New mu and sigma of each player; `outcome` of players who stayed: 1 won, 0 drawn, −1 lost."""
    return [
        _rate_player(params, player, (p, w, s2), ahead, -1 if player.left_early else outcome)
        for player, p, w, s2 in zip(side.players, side.shares, side.weights, side.variances, strict=True)
    ]


def _rate_player(
    params: TwoLayerParams,
    player: Entrant[TwoLayerSkill],
    part: tuple[float, float, float],
    ahead: Distance,
    outcome: int,
) -> tuple[float, float]:
    (p, w, s2), (z, c) = part, ahead
    # A draw moves the skill as if the difference were known to be zero.
    v, shrink = formulas.lesson(z, outcome, FLOATS) if outcome else (-z, 1.0)
    doubt = formulas.doubt(p) if player.left_early else 1.0
    mu = formulas.mean_after(player.skill.mu, s2, w, c, v)
    return mu, formulas.deviation_after(params, s2, w, c, shrink, doubt, FLOATS)
