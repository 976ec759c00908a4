"""Battle points on tables of duels (see system.py)."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.battle_points.system import NO_CHANCE, SCALE, BattlePoints


class BattlePointsKernel:
    fields: ClassVar[tuple[str, ...]] = ("display_hundredths",)
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = False

    def __init__(self, system: BattlePoints, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.lopsided = _lopsided(facts)
        self.matches = facts.history.matches_before.take(facts.plan.seats)
        self.outcome = np.sign(_ahead(facts, facts.place))
        self.expected = np.full((len(facts.plan.matches), 2), np.nan)
        self.bounds = np.array([inf if bracket.up_to is None else bracket.up_to for bracket in system.brackets])
        self.stakes = np.array([bracket.k for bracket in system.brackets])
        self.modifiers = np.array([bracket.modifier for bracket in system.brackets])

    def fewest(self, teams: int, width: int) -> int:
        return 1

    @staticmethod
    def takes(states: States) -> Bools:
        return np.equal(states.display_hundredths % 100, 0)

    def rate(self, group: MatchGroup, before: Ints) -> tuple[Floats]:
        ratings = (before / 100).reshape(-1, 2)
        expected = self.expected[group.matches] = _chances(ratings)
        scores = 0.5 + 0.5 * np.multiply.outer(self.outcome[group.matches], [1.0, -1.0])
        floor = np.full(ratings.shape, float(self.system.floor))
        if self.facts.someone_left:
            left = self.facts.left[group.seats].reshape(-1, 2)
            scores = np.where(left, 0.0, np.where(left[:, ::-1], 1.0, scores))
            floor = np.where(left, np.minimum(floor, ratings), floor)
        bracket = np.searchsorted(self.bounds, ratings)
        stakes = self.stakes[bracket]
        if self.system.counts_matches:
            before_it = self.matches[group.seats].reshape(-1, 2)
            stakes = np.where(before_it < self.system.provisional_matches, self.system.provisional_k, stakes)
        change = stakes * (scores - expected)
        change *= np.where(self.lopsided[group.matches, None], self.modifiers[bracket], 1.0)
        return (np.maximum(ratings + change, floor).reshape(-1),)

    def units(self, rating: Floats) -> Floats:
        return rating

    def chances(self) -> tuple[Floats, Floats]:
        return self.expected[:, 0], self.expected[:, 1]


def _chances(ratings: Floats) -> Floats:
    ahead = ratings - ratings[:, ::-1]
    odds = 10.0 ** np.maximum(-np.abs(ahead) / SCALE, NO_CHANCE)  # of the player who is behind
    return np.where(ahead > 0, 1.0, odds) / (1 + odds)


def _ahead(facts: Facts, places: Floats) -> Floats:
    """By match: how many places the first player is ahead."""
    ahead: Floats = facts.of_second(places) - facts.of_first(places)
    return ahead


def _lopsided(facts: Facts) -> Bools:
    """By match: True if the loser by place scored nothing and the winner something, or if somebody left."""
    score = facts.history.score.take(facts.plan.teams)
    first, second, ahead = facts.of_first(score), facts.of_second(score), _ahead(facts, facts.place)
    winner, loser = np.where(ahead > 0, first, second), np.where(ahead > 0, second, first)
    shutout: Bools = (ahead != 0) & (loser <= 0) & (winner > 0)
    if not facts.someone_left:
        return shutout
    left = facts.someone_of_team_left
    lopsided: Bools = shutout | facts.of_first(left) | facts.of_second(left)
    return lopsided
