"""TrueSkill on tables (see system.py): two teams in closed form, more teams by message passing."""

from __future__ import annotations

from functools import cache
from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.cases import Cases
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.gaussian_arrays import all_above, both_chances, draw
from ranking.systems.shared.mean_and_deviation import DEVIATIONS
from ranking.systems.trueskill.batch_chain import lessons_of
from ranking.systems.trueskill.performances import LEAST_VARIANCE
from ranking.systems.trueskill.system import LEAST_WEIGHT, TrueSkill, unit_margin

LAST_BUT_ONE = np.finfo(np.float64).max
SIDES = np.array([1.0, -1.0])
Lessons = tuple[Floats, Floats]  # pull and sureness (see chain.py) by row and team; one column may serve all teams


class TrueSkillKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = True

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
    def cases(facts: Facts) -> Ints:
        """Without those who alone left a match in which everybody else's weight is 1.

        By the rule for leavers, they are rated as if they had stayed and come last, but that sigma doesn't fall. So in
        the case mu is the same, sigma the same or lower, and the display rating the same or higher.
        """
        light = facts.left | (_reported(facts) < 1) | (_reported(facts) > 1)
        others = np.add.reduceat(light, facts.plan.match_starts[:-1], dtype=np.int64)
        return np.flatnonzero(facts.left & (facts.by_seat(others) > 1))

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)

    def rate(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats) -> tuple[Floats, Floats]:
        mu, sigma = group.table(mu_before), group.table(sigma_before)
        sigma2, weights = sigma * sigma, self._weights_of(group)
        pull, sureness = (self._two if group.shape[1] == 2 else self._many)(group, mu, sigma2, weights)
        rows, s2 = group.shape[0], sigma2 + self.tau2
        gains = s2 if weights is None else weights * s2
        new_mu = gains * pull[:rows, :, None]
        new_mu += mu
        left = gains * sureness[:rows, :, None]
        left *= gains
        np.maximum(np.subtract(s2, left, out=left), LEAST_VARIANCE, out=left)
        new_sigma = group.seated(np.sqrt(left, out=left))
        if group.match_of is not None:  # a leaver's sigma doesn't fall (see `no_surer`)
            np.maximum(new_sigma, sigma_before, out=new_sigma, where=self.facts.left[group.seats])
        rated = group.seated(new_mu), new_sigma
        if group.cases is None:
            return rated
        number, team = np.arange(rows, rows + len(group.cases)), group.cases.team
        s2 = sigma_before.take(group.cases.seat) ** 2 + self.tau2
        last_mu = mu_before.take(group.cases.seat) + s2 * pull[number, team]
        left = np.maximum(s2 - s2 * s2 * sureness[number, team % sureness.shape[1]], LEAST_VARIANCE)
        return np.concatenate([rated[0], last_mu]), np.concatenate([rated[1], np.sqrt(left)])

    def _more(self, group: MatchGroup, cases: Cases, mu: Floats, sigma2: Floats) -> tuple[Floats, Floats]:
        """By case: what the player, who has the weight 1 there, adds to the mean and the variance of the team."""
        cell = cases.side * group.shape[2] + cases.offset
        weight = np.ones(len(cases)) if self.weights is None else self.weights[group.seats].take(cases.seat)
        s2 = sigma2.reshape(-1).take(cell) + (self.tau2 + self.beta2)
        return (1 - weight) * mu.reshape(-1).take(cell), (1 - weight * weight) * s2

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
        outcome = group.outcomes(self.facts)
        if group.cases:
            row, side = group.cases.row, SIDES.take(group.cases.team)
            more_mean, more_variance = self._more(group, group.cases, mu, sigma2)
            ahead = np.concatenate([ahead, ahead.take(row) + side * more_mean])
            variance = np.concatenate([variance, variance.take(row) + more_variance])
            outcome = np.concatenate([outcome, -side])
            players = players if there is None else np.concatenate([players, np.take(players, row)])
        c, margin = np.sqrt(variance), self.margin * np.sqrt(players)
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
        mean, variance, places = means.sum(axis=2), variances.sum(axis=2), group.places(self.facts)
        if group.cases:
            more_mean, more_variance = self._more(group, group.cases, mu, sigma2)
            mean, variance = group.cases.below(mean, more_mean), group.cases.below(variance, more_variance)
            players = group.cases.below(players, 0.0)
            # Teams that left as a whole are last, but before the player's team.
            places = group.cases.below(np.minimum(places, LAST_BUT_ONE), inf)
        return lessons_of(mean, variance, players, places, unit_margin=self.margin)

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
    reported = _reported(facts)
    weights = np.where(np.isnan(reported), np.where(facts.left, facts.played, 1.0), reported)
    return np.maximum(weights, LEAST_WEIGHT)


def _reported(facts: Facts) -> Floats:
    """By seat: the weight as reported, or NaN."""
    return facts.history.weight[facts.plan.seats]
