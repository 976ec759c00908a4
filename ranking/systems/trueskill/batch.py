"""TrueSkill on tables (see formulas.py): two teams in closed form, more teams by message passing."""

from __future__ import annotations

from functools import cache
from math import inf, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import LAST_BUT_ONE, Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.leavers import Leavers
from ranking.systems.batch.states import States
from ranking.systems.shared.formulas import DEVIATIONS, drifted, team_variance, winners_deviation
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.shared.ties import GROUP
from ranking.systems.trueskill import formulas
from ranking.systems.trueskill._batch_chain import lessons_of
from ranking.systems.trueskill.system import TrueSkill, unit_margin

SIDES = np.array([1.0, -1.0])


class Lessons(NamedTuple):
    """What matches tell (see chain.py), by match and team; one column may serve all teams."""

    pull: Floats
    sureness: Floats
    of_leavers: Lessons | None = None  # those of each leaver's team, by supposed match and leaver


class Skills(NamedTuple):
    """Leavers before the match, by leaver."""

    mu: Floats
    sigma: Floats
    s2: Floats  # sigma² + tau²


class TrueSkillKernel:
    """A leaver is rated by a match that is supposed: nobody left it, and the leaver's team came last alone.

    If staying is always better, also by a second one: only the leaver didn't leave it, and their team came last alone.
    """

    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: TrueSkill, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.margin = unit_margin(system.draw_probability) * system.beta
        self.weights, self.shares = _weights(facts), _shares(facts)
        self.draws = bool((facts.outcome == 0).any())
        # By match of two teams: the first team's lead by the skills before, and the sum of all variances.
        self.ahead, self.total = np.full(len(facts.plan.matches), nan), np.ones(len(facts.plan.matches))
        if facts.leavers is not None and self.weights is not None:
            weight = self.weights[facts.leavers.seat]
            # By leaver: what a weight of 1 adds to the weight and to its square, and the sign of the team.
            self.added, self.added2, self.side = 1 - weight, 1 - weight * weight, SIDES.take(facts.leavers.team % 2)

    def fewest(self, teams: int, width: int) -> int:
        return 1 if teams == 2 else 2 * teams

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)

    def rate(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats) -> tuple[Floats, Floats]:
        mu, sigma = group.table(mu_before), group.table(sigma_before)
        squares, weights = sigma * sigma, self._weights_of(group)
        s2 = drifted(squares, self.system.tau)
        left = self._left(group, mu_before, sigma_before)
        if group.shape[1] == 2:
            lessons = self._two(group, left, mu, squares, s2, weights)
        else:
            lessons = self._many(group, left, mu, s2, weights)
        gains = s2 if weights is None else weights * s2
        pull, sureness = lessons.pull[:, :, None], lessons.sureness[:, :, None]
        new_mu, new_sigma = formulas.skill_after(mu, s2, gains, pull, sureness, ARRAYS)
        if self.system.win_never_costs:
            won = group.by_team(self.facts.first_alone)[:, :, None]
            new_sigma = np.where(won, winners_deviation(mu, sigma, new_mu, new_sigma, ARRAYS), new_sigma)
        rated = group.seated(new_mu), group.seated(new_sigma)
        if group.leavers is None or left is None or lessons.of_leavers is None:
            return rated
        pull, sureness, _ = lessons.of_leavers
        mu_left, sigma_left = formulas.skill_after(left.mu, left.s2, left.s2, pull, sureness, ARRAYS)
        rated[0][group.leavers.seat] = mu_left[0]
        rated[1][group.leavers.seat] = np.maximum(sigma_left[0], left.sigma)  # as `no_surer` does
        return np.concatenate([rated[0], *mu_left[1:]]), np.concatenate([rated[1], *sigma_left[1:]])

    def _weights_of(self, group: MatchGroup) -> Floats | None:
        """By cell: the player's weight, 0 for padding; None if all weights are 1."""
        if self.weights is None:
            return group.present
        weights = group.table(self.weights[group.seats])
        return weights if group.present is None else weights * group.present

    def _left(self, group: MatchGroup, mu: Floats, sigma: Floats) -> Skills | None:
        if group.leavers is None:
            return None
        own = sigma.take(group.leavers.seat)
        return Skills(mu.take(group.leavers.seat), own, drifted(own * own, self.system.tau))

    def _more(self, leavers: Leavers, left: Skills) -> tuple[Floats, Floats]:
        """By leaver: what they add to the mean and the variance of their team if they stay."""
        spread: Floats = self.added2[leavers.number] * team_variance(left.s2, 1.0, self.system.beta)
        return self.added[leavers.number] * left.mu, spread

    def _two(
        self, group: MatchGroup, left: Skills | None, mu: Floats, squares: Floats, s2: Floats, weights: Floats | None
    ) -> Lessons:
        rows, _, width = group.shape
        everyone, sides = everyone_and_sides(width)
        mu, squares, s2 = mu.reshape(rows, -1), squares.reshape(rows, -1), s2.reshape(rows, -1)
        shares = group.weights(self.shares)
        there = None if shares is None else shares.reshape(rows, -1)
        there2 = None if there is None else there * there
        players = 2.0 * width if there is None else there.dot(everyone)
        players2 = 2.0 * width if there2 is None else there2.dot(everyone)
        ahead = (mu if there is None else mu * there).dot(sides)
        total = (s2 if there2 is None else s2 * there2).dot(everyone)
        self.ahead[group.matches] = ahead
        self.total[group.matches] = (squares if there2 is None else squares * there2).dot(everyone)
        variance = team_variance(total, players2, self.system.beta)
        whole = ahead, variance
        if weights is not None and weights is not group.present:
            w = weights.reshape(rows, -1)
            ahead = (w * mu).dot(sides)
            variance = (w * w * team_variance(s2, 1.0, self.system.beta)).dot(everyone)
        margin, outcome = formulas.draw_margin(self.margin, players, ARRAYS), group.outcomes(self.facts)
        if group.leavers is None or left is None:
            pull, sureness = self._taught(ahead, variance, margin, outcome)
            return Lessons(pull[:, None] * SIDES, sureness[:, None])
        row, side = group.leavers.row, self.side[group.leavers.number]
        aheads, variances = [ahead, whole[0].take(row)], [variance, whole[1].take(row)]
        if self.system.keeps_leavers:
            mean, spread = self._more(group.leavers, left)
            aheads.append(ahead.take(row) + side * mean)
            variances.append(variance.take(row) + spread)
        supposed = len(aheads) - 1
        if there is not None:
            margin = np.concatenate([margin, *[margin.take(row)] * supposed])
        pull, sureness = self._taught(
            np.concatenate(aheads), np.concatenate(variances), margin, np.concatenate([outcome, *[-side] * supposed])
        )
        of_leavers = pull[rows:].reshape(supposed, -1) * side, sureness[rows:].reshape(supposed, -1)
        return Lessons(pull[:rows, None] * SIDES, sureness[:rows, None], Lessons(*of_leavers))

    def _taught(self, ahead: Floats, variance: Floats, margin: Any, outcome: Floats) -> tuple[Floats, Floats]:
        """By row: the first team's pull, and the sureness of both teams."""
        pull, sureness = formulas.lesson_of_win(ahead, variance, margin, outcome, ARRAYS)
        if self.draws and len(drawn := np.flatnonzero(outcome == 0)):
            margins = np.broadcast_to(margin, len(outcome)).take(drawn)
            lesson = formulas.lesson_of_draw(ahead.take(drawn), variance.take(drawn), margins, ARRAYS)
            pull[drawn], sureness[drawn] = lesson
        return pull, sureness

    def _many(self, group: MatchGroup, left: Skills | None, mu: Floats, s2: Floats, weights: Floats | None) -> Lessons:
        w, s2 = 1.0 if weights is None else weights, team_variance(s2, 1.0, self.system.beta)
        players, places = self._sizes(group), group.places(self.facts)
        mean, variance, leavers = (w * mu).sum(axis=2), (w * w * s2).sum(axis=2), group.leavers
        if leavers is None or left is None:
            return Lessons(*self._passed(mean, variance, players, places))
        shares = group.weights(self.shares)
        there = 1.0 if shares is None else shares
        whole = (leavers.rows(table.sum(axis=2), 0.0) for table in (there * mu, there * there * s2))
        number, others = leavers.rows(players, 0.0), group.by_team(self.facts.place_beside_last)
        tables = [(mean, variance, players, places), (*whole, number, leavers.rows(others, inf))]
        if self.system.keeps_leavers:
            more, spread = self._more(leavers, left)
            # Teams that left as a whole are last, but before the player's team.
            last = leavers.rows(np.minimum(places, LAST_BUT_ONE), inf)
            tables.append((leavers.rows(mean, more), leavers.rows(variance, spread), number, last))
        mean, variance, players, places = map(np.concatenate, zip(*tables, strict=True))
        pull, sureness = self._passed(mean, variance, players, places)
        below = (table[group.count :].reshape(-1, *number.shape) for table in (pull, sureness))
        own_pull, own_sureness = (table[:, np.arange(len(number)), leavers.team] for table in below)
        return Lessons(pull[: group.count], sureness[: group.count], Lessons(own_pull, own_sureness))

    def _sizes(self, group: MatchGroup) -> Floats:
        """By match and team: the number of players, by their shares."""
        weights = group.weights(self.shares)
        if self.shares is None or weights is None:
            return np.asarray(group.by_team(self.facts.sizes), np.float64)
        sizes: Floats = weights.sum(axis=2)
        return sizes

    def _passed(self, mean: Floats, variance: Floats, players: Floats, places: Floats) -> tuple[Floats, Floats]:
        """By match and team: pull and sureness, by message passing."""
        return lessons_of(mean, variance, players, places, self.margin, groups=self.system.ties == GROUP)

    @staticmethod
    def units(system: TrueSkill, mu: Floats, sigma: Floats) -> Floats:
        return 100 * (mu - DEVIATIONS * sigma)

    def chances(self) -> tuple[Floats, Floats]:
        sizes = self.facts.sizes
        if self.shares is not None:
            sizes = np.add.reduceat(self.shares * self.shares, self.facts.plan.starts[:-1])
        players = self.facts.of_first(sizes) + self.facts.of_second(sizes)
        variance = team_variance(self.total, players, self.system.beta)
        return both_chances(formulas.lead(self.ahead, variance, self.system.temperature, ARRAYS))


@cache
def everyone_and_sides(width: int) -> tuple[Floats, Floats]:
    """Vectors for dot products over the cells of two teams: the sum of all, and the first team's less the second's."""
    return np.ones(2 * width), np.repeat(SIDES, width)


def _weights(facts: Facts) -> Floats | None:
    """By seat: the player's weight; None if all weights are 1."""
    reported = facts.history.weight
    if not facts.someone_left and np.isnan(reported).all():
        return facts.share
    reported, share = reported[facts.plan.seats], 1.0 if facts.share is None else facts.share
    weights = np.where(np.isnan(reported), np.where(facts.left, facts.played, share), reported)
    least: Floats = formulas.weight(weights, ARRAYS)
    return least


def _shares(facts: Facts) -> Floats | None:
    """By seat: the share by which a player makes their team larger; 1 if a weight is given. None if all are 1."""
    if facts.share is None:
        return None
    shares: Floats = np.where(np.isnan(facts.history.weight[facts.plan.seats]), facts.share, 1.0)
    return shares
