"""Gaussian Elo on tables (see formulas.py): a match's row holds each duel of two players of different teams once."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from typing import ClassVar, NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.elo import formulas
from ranking.systems.elo.system import Elo
from ranking.systems.shared.formulas import outcome_of, score_of
from ranking.systems.shared.gaussian_arrays import both_chances
from ranking.systems.shared.maths import ARRAYS

AT_ONCE = 1 << 20  # duels rated at once, which bounds the memory
MOST_PLAYERS = 256  # of a match in a table, for the same reason


class DuelTable(NamedTuple):
    """The duels between the cells of a row; `sign` by duel and cell: 1 for the first player, −1 for the second."""

    first: Ints
    second: Ints
    sign: Floats


@lru_cache(maxsize=8)
def _duels(teams: int, width: int) -> DuelTable:
    first, second = np.triu_indices(teams * width, 1)
    apart = first // width != second // width
    first, second = first[apart], second[apart]
    sign = np.zeros((len(first), teams * width))
    numbers = np.arange(len(first))
    sign[numbers, first], sign[numbers, second] = 1.0, -1.0
    return DuelTable(first, second, sign)


class EloKernel:
    fields: ClassVar[tuple[str, ...]] = ("mu",)
    unit: ClassVar[int] = 1
    leavers_apart: ClassVar[bool] = True

    def __init__(self, system: Elo, facts: Facts) -> None:
        self.system, self.facts = system, facts
        self.matches = facts.history.matches_before.take(facts.plan.seats)
        # By match of two teams: the sum of the first team's ratings less the second's.
        self.ahead = np.full(len(facts.plan.matches), nan)

    def fewest(self, teams: int, width: int) -> int:
        return 1 if teams * width <= MOST_PLAYERS else self.facts.history.matches + 1

    @staticmethod
    def takes(states: States) -> Bools:
        return np.isfinite(states.mu)

    def rate(self, group: MatchGroup, before: Floats) -> tuple[Floats]:
        rows, teams, width = group.shape
        ratings = group.table(before).reshape(rows, -1)
        if teams == 2:
            self._expect(group, ratings)
        at_once = max(1, AT_ONCE // len(_duels(teams, width).first))
        surprise = np.concatenate(
            [self._surprise(group, ratings, slice(row, row + at_once)) for row in range(0, rows, at_once)]
        )
        after = group.seated(formulas.after(ratings, self._stakes(group), self._opponents(group), surprise))
        if self.system.scale_by_time and group.match_of is not None:
            share = np.where(self.facts.left[group.seats], self.facts.played[group.seats], 1.0)
            after = formulas.for_part(before, after, share)
        return (after,)

    def _surprise(self, group: MatchGroup, ratings: Floats, rows: slice) -> Floats:
        """By row and cell: the sum of S − C over the cell's duels, by the shares of both players."""
        duels, some = _duels(*group.shape[1:]), ratings[rows]
        own, other = some.take(duels.first, axis=1), some.take(duels.second, axis=1)
        surprise: Floats = self._scores(group, duels, rows) - formulas.chance(own, other, self.system.beta, ARRAYS)
        weights = group.weights(self.facts.share)
        if weights is not None:
            weights = weights.reshape(len(ratings), -1)[rows]
            surprise *= weights.take(duels.first, axis=1) * weights.take(duels.second, axis=1)
        totals: Floats = surprise.dot(duels.sign)
        return totals

    def _scores(self, group: MatchGroup, duels: DuelTable, rows: slice) -> Floats:
        """By row and duel: S of the first player; with two teams, one column for all duels."""
        if group.shape[1] == 2:
            outcomes = group.outcomes(self.facts)[rows, None]
        else:
            width, places = group.shape[2], group.places(self.facts)[rows]
            own, other = places.take(duels.first // width, axis=1), places.take(duels.second // width, axis=1)
            outcomes = outcome_of(own, other)
        scores: Floats = score_of(outcomes)
        return scores

    def _stakes(self, group: MatchGroup) -> Floats | float:
        """K of each cell of a row."""
        system, alpha = self.system, self.system.alpha
        if system.counts_matches:
            number = group.table(self.matches[group.seats]).reshape(group.shape[0], -1)
            alpha = formulas.alpha_after(number, system.alpha_first, alpha, system.alpha_matches, ARRAYS)
        stakes: Floats | float = formulas.stake(alpha, system.beta)
        return stakes

    def _opponents(self, group: MatchGroup) -> Floats | float:
        """The number of duels that each cell of a row has, by the opponents' shares."""
        _, teams, width = group.shape
        weights = group.weights(self.facts.share)
        if weights is None:
            return float((teams - 1) * width)
        sizes = weights.sum(axis=2)
        return np.repeat(sizes.sum(axis=1)[:, None] - sizes, width, axis=1)

    def _expect(self, group: MatchGroup, ratings: Floats) -> None:
        weights = group.weights(self.facts.share)
        if weights is not None:
            ratings = ratings * weights.reshape(len(ratings), -1)
        self.ahead[group.matches] = ratings[: group.count].dot(np.repeat([1.0, -1.0], group.shape[2]))

    @staticmethod
    def units(system: Elo, rating: Floats) -> Floats:
        return 100 * rating

    def chances(self) -> tuple[Floats, Floats]:
        sizes = self.facts.shares
        players = self.facts.of_first(sizes) + self.facts.of_second(sizes)
        return both_chances(formulas.team_lead(self.ahead, players, self.system.beta, ARRAYS))
