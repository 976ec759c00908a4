"""Weng–Lin on tables (see system.py): for two teams the package's Plackett–Luce is a logistic Elo with deviations.

With p, the first team's chance of coming first, and S, what it reached (1, 1/2 or 0), the package's omega is S − p for
the first team and p − S for the second; its delta is p·(1 − p) for both. More teams are rated match by match.
"""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.mean_and_deviation import DEVIATIONS
from ranking.systems.weng_lin.system import LARGEST_EXPONENT, MODEL, WengLin


class WengLinKernel:
    """A leaver is rated as if their team had lost and keeps at least the deviation, so staying is never worse."""

    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma")
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: WengLin, facts: Facts) -> None:
        self.facts = facts
        self.tau2, self.beta2 = system.tau**2, system.beta**2
        # By match of two teams: the first team's lead by the skills before, and its variance.
        self.ahead, self.variance = np.full(len(facts.plan.matches), nan), np.ones(len(facts.plan.matches))

    def fewest(self, teams: int, width: int) -> int:
        return 1 if teams == 2 else self.facts.history.matches + 1

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu) & (states.sigma > 0) & (states.sigma < inf)

    def rate(self, group: MatchGroup, mu_before: Floats, sigma_before: Floats) -> tuple[Floats, Floats]:
        if group.shape[1] != 2:  # only where a caller wants no match to be rated by the scalar face
            return np.full(len(mu_before), nan), np.full(len(mu_before), nan)
        mu, sigma = group.table(mu_before), group.table(sigma_before)
        s2 = sigma * sigma
        means, variances = (self._by_team(group, table) for table in (mu, s2))
        self.ahead[group.matches] = means[:, 0] - means[:, 1]
        self.variance[group.matches] = variances.sum(axis=1) + 2 * self.beta2
        s2 += self.tau2
        variances = self._by_team(group, s2)
        c = np.sqrt(variances.sum(axis=1) + 2 * self.beta2)
        chance = self._first(means, c)
        gain = (0.5 + 0.5 * group.outcomes(self.facts) - chance) / c
        # By team: what a player's variance is multiplied with to get the share that it falls by.
        sureness = (chance * (1 - chance) / c**3)[:, None] * np.sqrt(variances)
        new_mu = group.seated(mu + s2 * np.stack([gain, -gain], axis=1)[:, :, None])
        share = np.maximum(1 - s2 * sureness[:, :, None], MODEL.kappa)
        new_sigma = group.seated(np.sqrt(s2 * share))
        if group.leavers is not None:
            seat, row, team = group.leavers.seat, group.leavers.row, group.leavers.team
            own_sigma = sigma_before[seat]
            lost = np.where(team == 0, chance[row], 1 - chance[row]) / c[row]
            new_mu[seat] = mu_before[seat] - (own_sigma**2 + self.tau2) * lost
            new_sigma[seat] = np.maximum(new_sigma[seat], own_sigma)  # as `no_surer` does
        return new_mu, new_sigma

    @staticmethod
    def _by_team(group: MatchGroup, table: Floats) -> Floats:
        sums: Floats = (table if group.present is None else table * group.present).sum(axis=2)
        return sums

    @staticmethod
    def _first(means: Floats, c: Floats) -> Floats:
        """By match: the first team's chance of coming first; NaN where the package's exponentials would overflow."""
        within = np.abs(means).max(axis=1) <= LARGEST_EXPONENT * c
        ahead = np.where(within, (means[:, 0] - means[:, 1]) / c, nan)
        rarer = np.exp(-np.abs(ahead))
        chance: Floats = np.where(ahead < 0, rarer, 1.0) / (1 + rarer)
        return chance

    def units(self, mu: Floats, sigma: Floats) -> Floats:
        return 100 * (mu - DEVIATIONS * sigma)

    def chances(self) -> tuple[Floats, Floats]:
        return both_chances(self.ahead / np.sqrt(self.variance))
