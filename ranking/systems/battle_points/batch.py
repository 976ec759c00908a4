"""Battle points on tables of duels (see formulas.py)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.battle_points import formulas
from ranking.systems.battle_points.system import BattlePoints
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.maths import ARRAYS


class BattlePointsKernel:
    fields: ClassVar[tuple[str, ...]] = ("display_hundredths",)
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: BattlePoints, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.matches = facts.history.matches_before.take(facts.plan.seats)
        # By match: of the first player.
        self.outcome = outcome_of(facts.of_first(facts.place), facts.of_second(facts.place))
        score = facts.history.score.take(facts.plan.teams)
        self.lopsided = formulas.is_shutout(self.outcome, facts.of_first(score), facts.of_second(score))
        if facts.someone_left:
            left = facts.someone_of_team_left
            self.lopsided |= facts.of_first(left) | facts.of_second(left)
        self.expected = np.full((len(facts.plan.matches), 2), np.nan)
        self.stakes = np.array([bracket.k for bracket in system.brackets])
        self.modifiers = np.array([bracket.modifier for bracket in system.brackets])

    def fewest(self, teams: int, width: int) -> int:
        return 1

    @staticmethod
    def takes(states: States) -> Bools:
        return np.equal(states.display_hundredths % 100, 0)

    def rate(self, group: MatchGroup, before: Ints) -> tuple[Floats]:
        system, ratings = self.system, (before / 100).reshape(-1, 2)
        outcome = np.multiply.outer(self.outcome[group.matches], [1.0, -1.0])
        lowest: Floats | int = system.floor
        if self.facts.someone_left:
            left = self.facts.left[group.seats].reshape(-1, 2)
            outcome = formulas.with_leavers(outcome, left, left[:, ::-1], ARRAYS)
            lowest = formulas.lowest(ratings, system.floor, left, ARRAYS)
        expected = self.expected[group.matches] = formulas.chance(ratings, ratings[:, ::-1], ARRAYS)
        bracket = formulas.bracket_index(ratings, system.brackets)
        stakes = self.stakes[bracket]
        if system.counts_matches:
            matches = self.matches[group.seats].reshape(-1, 2)
            stakes = formulas.stake(matches, stakes, system.provisional_matches, system.provisional_k, ARRAYS)
        modifiers = np.where(self.lopsided[group.matches, None], self.modifiers[bracket], 1.0)
        change = formulas.change(stakes, score_of(outcome), expected, modifiers)
        return (formulas.after(ratings, change, lowest, ARRAYS).reshape(-1),)

    @staticmethod
    def units(system: BattlePoints, rating: Floats) -> Floats:
        return rating

    def chances(self) -> tuple[Floats, Floats]:
        return self.expected[:, 0], self.expected[:, 1]
