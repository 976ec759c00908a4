"""Glicko-2 on tables of duels (see formulas.py)."""

from __future__ import annotations

from math import inf, nan
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.glicko2 import formulas
from ranking.systems.glicko2._volatility import new_volatilities
from ranking.systems.glicko2.formulas import Form
from ranking.systems.glicko2.system import Glicko2
from ranking.systems.shared.formulas import score_of
from ranking.systems.shared.maths import ARRAYS


class Glicko2Kernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "volatility")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = True

    def __init__(self, system: Glicko2, facts: Facts) -> None:
        self.system, self.facts = system, facts
        idle = facts.history.idle_days.take(facts.plan.seats)
        self.empty = formulas.empty_periods(idle, system.period_days, ARRAYS)  # by seat
        self.lead = np.full(len(facts.plan.matches), nan)

    def fewest(self, teams: int, width: int) -> int:
        return 3

    @staticmethod
    def takes(states: States) -> Bools:
        well = np.isfinite(states.mu) & (states.sigma > 0) & (states.volatility > 0)
        return well & (states.sigma < inf) & (states.volatility < inf)

    def rate(
        self, group: MatchGroup, rating: Floats, deviation: Floats, volatility: Floats
    ) -> tuple[Floats, Floats, Floats]:
        forms = formulas.form_of(rating, deviation, volatility, self.empty[group.seats], ARRAYS)
        own = Form(*(group.table(column)[:, :, 0] for column in forms))
        first, second = (Form(*(column[: group.count, side] for column in own)) for side in (0, 1))
        self.lead[group.matches] = formulas.lead(first, second, ARRAYS)
        other = Form(*(column[:, ::-1] for column in own))
        score = score_of(np.multiply.outer(group.outcomes(self.facts), [1.0, -1.0]))
        chance, stake, phi, new = formulas.update_of(own, other, score, self.system.tau, ARRAYS, new_volatilities)
        return (
            group.seated(formulas.rating_after(own.mu, stake, score - chance)),
            group.seated(formulas.deviation_after(phi, ARRAYS)),
            group.seated(new),
        )

    @staticmethod
    def units(system: Glicko2, rating: Floats, deviation: Floats, volatility: Floats) -> Floats:
        return rating

    def chances(self) -> tuple[Floats, Floats]:
        return formulas.logistic(self.lead, ARRAYS)[0], formulas.logistic(-self.lead, ARRAYS)[0]
