"""Two-layer's hidden layer (see system.py): Gaussian skills, rated as two sums of performances.

A leaver counts for the part of the match that they were present for, and is rated as a player who lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any, NamedTuple

from ranking.systems.base import Entrant, Result
from ranking.systems.shared.gaussian import above
from ranking.systems.shared.rules import duration_of, played
from ranking.systems.two_layer.params import TwoLayerParams

LEAST_WEIGHT = 0.10  # of a leaver
DOUBT = 0.05  # sigma grows by this share if a player leaves at once


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
    strengths: Sequence[float]  # mu, with the party bonus
    variances: Sequence[float]  # s² = sigma² + tau²


class Distance(NamedTuple):
    """The first team's lead over the second: z, in units of the deviation c."""

    z: float
    c: float

    def seen_by_other(self) -> Distance:
        return Distance(-self.z, self.c)


def weighted_team(
    params: TwoLayerParams, players: Sequence[Entrant[TwoLayerSkill]], result: Result[Any] | None
) -> WeightedTeam:
    """The team in this match; without a result, the team before one."""
    duration, rounds = (duration_of(result), result.rounds) if result else (None, None)
    shares = [_share(player, duration, rounds) if result and player.left_early else 1.0 for player in players]
    parties = [player.party for player in players]
    tau2 = params.tau * params.tau
    return WeightedTeam(
        players=players,
        shares=shares,
        weights=[max(LEAST_WEIGHT, p) if player.left_early else 1.0 for player, p in zip(players, shares, strict=True)],
        strengths=[
            player.skill.mu + (params.party_bonus if player.party and parties.count(player.party) > 1 else 0.0)
            for player in players
        ],
        variances=[player.skill.sigma * player.skill.sigma + tau2 for player in players],
    )


def _share(player: Entrant[Any], duration: float | None, rounds: int | None) -> float:
    if rounds and player.rounds_played is not None:
        return min(1.0, player.rounds_played / rounds)
    return played(player, duration)


def everyone(side: WeightedTeam) -> Sequence[float]:
    """The weights as if nobody had left."""
    return [1.0] * len(side.players)


def renormalised(side: WeightedTeam) -> Sequence[float]:
    """The weights, scaled so that their sum is the head count."""
    q = len(side.players) / fsum(side.weights)
    return [q * w for w in side.weights]


def distance(
    params: TwoLayerParams,
    first: WeightedTeam,
    second: WeightedTeam,
    weights: Sequence[float],
    other_weights: Sequence[float],
) -> Distance:
    beta2 = params.beta * params.beta
    means, variances = [], []
    for side, own in ((first, weights), (second, other_weights)):
        means.append(fsum([w * mu for w, mu in zip(own, side.strengths, strict=True)]))
        variances.append(fsum([w * w * (s2 + beta2) for w, s2 in zip(own, side.variances, strict=True)]))
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
    # A draw moves the skill as if the difference were known to be zero: v = −z, W = 1.
    v, shrink = (-z, 1.0) if outcome == 0 else above(outcome * z)[:2]
    mu = player.skill.mu + (outcome or 1) * w * s2 / c * v
    sigma = sqrt(s2 * max(0.0, 1 - w * w * s2 / (c * c) * shrink))
    if player.left_early:
        sigma *= 1 + DOUBT * (1 - p)
    return mu, min(max(sigma, params.sigma_min), params.sigma)
