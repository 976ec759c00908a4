"""Weng–Lin on tables of two teams (see formulas.py). More teams are rated match by match."""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.formulas import DEVIATIONS, drifted, score_of, winners_deviation
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.weng_lin import formulas
from ranking.systems.weng_lin.system import MODEL, WengLin


class WengLinKernel:
    """A leaver is rated as if their team had lost and keeps at least the deviation, so staying is never worse."""

    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: WengLin, facts: Facts) -> None:
        self.system, self.facts = system, facts
        # By match of two teams: the first team's lead by the skills before, and the sum of all variances.
        self.ahead, self.variance = np.full(len(facts.plan.matches), nan), np.ones(len(facts.plan.matches))

    def fewest(self, teams: int, width: int) -> int:
        return 1 if teams == 2 else self.facts.history.matches + 1

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)

    def rate(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats) -> tuple[Floats, Floats]:
        if group.shape[1] != 2:  # only where a caller wants no match to be rated by the scalar face
            return np.full(len(mu_before), nan), np.full(len(mu_before), nan)
        system, mu, sigma = self.system, group.table(mu_before), group.table(sigma_before)
        shares = group.weights(self.facts.share)
        squares = None if shares is None else shares * shares
        means = _by_team(mu, shares)
        ahead = self.ahead[group.matches] = means[:, 0] - means[:, 1]
        self.variance[group.matches] = _by_team(sigma * sigma, squares).sum(axis=1)
        s2 = drifted(sigma * sigma, system.tau)
        totals = _by_team(s2, squares)
        c = formulas.deviation(totals.sum(axis=1), system.beta, 2, ARRAYS)
        chance = formulas.chance(ahead, c, ARRAYS)
        pull = formulas.pull(score_of(group.outcomes(self.facts)), chance, c)
        spread = formulas.spread(chance)
        sureness = formulas.sureness(spread[:, None], totals, c[:, None], ARRAYS)[:, :, None]
        gain = s2
        if shares is not None and squares is not None:
            gain, sureness = shares * s2, squares * sureness
        after = formulas.mean_after(mu, gain, np.stack([pull, -pull], axis=1)[:, :, None])
        after_sigma = formulas.deviation_after(s2, sureness, MODEL.kappa, ARRAYS)
        if system.win_never_costs:
            won = group.by_team(self.facts.first_alone)[:, :, None]
            after_sigma = np.where(won, winners_deviation(mu, sigma, after, after_sigma, ARRAYS), after_sigma)
        new_mu, new_sigma = group.seated(after), group.seated(after_sigma)
        if group.leavers is not None:
            seat, row, team = group.leavers.seat, group.leavers.row, group.leavers.team
            own_sigma, own_chance = sigma_before[seat], np.where(team == 0, chance[row], 1 - chance[row])
            lost = formulas.pull(score_of(-1.0), own_chance, c[row])
            new_mu[seat] = formulas.mean_after(mu_before[seat], drifted(own_sigma * own_sigma, system.tau), lost)
            new_sigma[seat] = np.maximum(new_sigma[seat], own_sigma)  # as `no_surer` does
        return new_mu, new_sigma

    @staticmethod
    def units(system: WengLin, mu: Floats, sigma: Floats) -> Floats:
        return 100 * (mu - DEVIATIONS * sigma)

    def chances(self) -> tuple[Floats, Floats]:
        deviation = formulas.deviation(self.variance, self.system.beta, 2, ARRAYS)
        return both_chances(self.ahead / deviation / self.system.temperature)


def _by_team(table: Floats, weights: Floats | None) -> Floats:
    """Sums by match and team; `weights` None: all are 1."""
    sums: Floats = (table if weights is None else table * weights).sum(axis=2)
    return sums
