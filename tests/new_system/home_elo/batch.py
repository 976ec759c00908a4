"""Gaussian Elo with home advantage on tables (see system.py)."""

from __future__ import annotations

import numpy as np
from ranking.systems.home_elo.system import HomeElo

from ranking.systems.batch.columns import Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.elo.batch import EloKernel


class HomeEloKernel(EloKernel):
    def __init__(self, system: HomeElo, facts: Facts) -> None:
        super().__init__(system, facts)
        home = np.zeros(len(facts.plan.teams))
        home[facts.plan.team_starts[:-1]] = system.home
        self.home = np.repeat(home, facts.sizes)  # by seat

    def rate(self, group: MatchGroup, before: Floats) -> tuple[Floats]:
        home = self.home[group.seats]
        (after,) = super().rate(group, before + home)
        return (after - home,)
