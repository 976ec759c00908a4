"""TrueSkill on tables (see system.py): two teams in closed form, more teams by message passing."""

from __future__ import annotations

from functools import cache
from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.gaussian_arrays import all_above, both_chances, draw
from ranking.systems.shared.mean_and_deviation import DEVIATIONS
from ranking.systems.trueskill.batch_chain import lessons_of
from ranking.systems.trueskill.performances import LEAST_VARIANCE
from ranking.systems.trueskill.system import LEAST_WEIGHT, TrueSkill, unit_margin

SIDES = np.array([1.0, -1.0])
Lessons = tuple[Floats, Floats]  # pull and sureness (see chain.py) by row and team; one column may serve all teams


class TrueSkillKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = True
    lowers_leavers: ClassVar[bool] = True

    def __init__(self, system: TrueSkill, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.tau2, self.beta2 = system.tau**2, system.beta**2
        self.margin = unit_margin(system.draw_probability) * system.beta
        self.weights = _weights(facts)
        self.draws = bool((facts.outcome == 0).any())
        # By match of two teams: the first team's lead by the skills before, and its variance.
        self.ahead, self.variance = np.full(len(facts.plan.matches), nan), np.ones(len(facts.plan.matches))

    def fewest(self, teams: int, width: int) -> int:
        return 1 if teams == 2 else 2 * teams

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)

    def rate(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats) -> tuple[Floats, Floats]:
        mu, sigma = group.table(mu_before), group.table(sigma_before)
        sigma2, weights = sigma * sigma, self._weights_of(group)
        pull, sureness = (self._two if group.shape[1] == 2 else self._many)(group, mu, sigma2, weights)
        s2 = sigma2 + self.tau2
        gains = s2 if weights is None else weights * s2
        new_mu = gains * pull[:, :, None]
        new_mu += mu
        left = gains * sureness[:, :, None]
        left *= gains
        np.maximum(np.subtract(s2, left, out=left), LEAST_VARIANCE, out=left)
        new_sigma = group.seated(np.sqrt(left, out=left))
        if group.match_of is not None:  # a leaver's sigma doesn't fall (see `no_surer`)
            np.maximum(new_sigma, sigma_before, out=new_sigma, where=self.facts.left[group.seats])
        return group.seated(new_mu), new_sigma

    def _weights_of(self, group: MatchGroup) -> Floats | None:
        """By cell: the player's weight, 0 for padding, 1 in the rows for leavers; None if all weights are 1."""
        if self.weights is None:
            return group.present
        weights = group.table(self.weights[group.seats])
        if group.match_of is not None:
            weights[group.count :] = 1.0
        return weights if group.present is None else weights * group.present

    def _two(self, group: MatchGroup, mu: Floats, sigma2: Floats, weights: Floats | None) -> Lessons:
        rows, _, width = group.shape
        everyone, sides = everyone_and_sides(width)
        mu, sigma2 = mu.reshape(rows, -1), sigma2.reshape(rows, -1)
        there = None if group.present is None else group.present.reshape(rows, -1)
        players = 2.0 * width if there is None else there.dot(everyone)
        ahead = (mu if there is None else mu * there).dot(sides)
        variance = (sigma2 if there is None else sigma2 * there).dot(everyone)
        variance += players * self.beta2
        self.ahead[group.matches], self.variance[group.matches] = ahead[: group.count], variance[: group.count]
        if weights is None or weights is group.present:
            variance += players * self.tau2
        else:
            w = weights.reshape(rows, -1)
            ahead, variance = (w * mu).dot(sides), (w * w * (sigma2 + (self.tau2 + self.beta2))).dot(everyone)
        c, margin, outcome = np.sqrt(variance), self.margin * np.sqrt(players), group.outcomes(self.facts)
        t = outcome * ahead
        t -= margin
        t /= c
        v, spare = all_above(t)
        v *= outcome
        if self.draws:
            draw(outcome == 0, ahead / c, margin / c, v, spare)
        v /= c
        return v[:, None] * SIDES, ((1.0 - spare) / variance)[:, None]

    def _many(self, group: MatchGroup, mu: Floats, sigma2: Floats, weights: Floats | None) -> Lessons:
        w = 1.0 if weights is None else weights
        means, variances = w * mu, w * w * (sigma2 + (self.tau2 + self.beta2))
        players = np.asarray(group.by_team(self.facts.sizes), np.float64)
        return lessons_of(
            means.sum(axis=2), variances.sum(axis=2), players, group.places(self.facts), unit_margin=self.margin
        )

    def units(self, mu: Floats, sigma: Floats) -> Floats:
        return 100 * (mu - DEVIATIONS * sigma)

    def chances(self) -> tuple[Floats, Floats]:
        return both_chances(self.ahead / np.sqrt(self.variance) / self.system.temperature)


@cache
def everyone_and_sides(width: int) -> tuple[Floats, Floats]:
    """Vectors for dot products over the cells of two teams: the sum of all, and the first team's less the second's."""
    return np.ones(2 * width), np.repeat(SIDES, width)


def _weights(facts: Facts) -> Floats | None:
    """By seat: the player's weight; None if all weights are 1."""
    reported = facts.history.weight
    if not facts.someone_left and np.isnan(reported).all():
        return None
    reported = reported.take(facts.plan.seats)
    weights = np.where(np.isnan(reported), np.where(facts.left, facts.played, 1.0), reported)
    return np.maximum(weights, LEAST_WEIGHT)
