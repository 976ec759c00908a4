"""Pairs of teams that met in a history and didn't draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import inf

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.history import History


@dataclass(frozen=True, slots=True)
class Pairs:
    """By pair, in the history's order: the match, the numbers of both teams, and whether the first one won."""

    match: Ints
    first: Ints
    second: Ints
    won: Bools

    @staticmethod
    def none() -> Pairs:
        nobody = np.zeros(0, np.int64)
        return Pairs(nobody, nobody, nobody, np.zeros(0, bool))

    def __len__(self) -> int:
        return len(self.match)

    def take(self, chosen: Ints | Bools | slice) -> Pairs:
        """Some of these pairs."""
        return Pairs(self.match[chosen], self.first[chosen], self.second[chosen], self.won[chosen])

    def part(self, history: History, first: int, last: int) -> Pairs:
        """The pairs of `history.part(first, last)`; these are the history's."""
        own = slice(*np.searchsorted(self.match, [first, last]).tolist())
        team = history.team_starts[first]
        return Pairs(self.match[own] - first, self.first[own] - team, self.second[own] - team, self.won[own])

    def mean_of_seats(self, history: History, values: Ints) -> Floats:
        """By pair: the mean of a column by participation, over both teams."""
        if not len(self):
            return np.zeros(0)
        sums, sizes = np.add.reduceat(values, history.starts[:-1], dtype=np.float64), np.diff(history.starts)
        mean: Floats = (sums[self.first] + sums[self.second]) / (sizes[self.first] + sizes[self.second])
        return mean


def order_of_teams(history: History) -> Floats:
    """By team: what it is ordered by in its match, the best first. A team that everyone left comes last."""
    place: Floats = np.where(history.place > 0, history.place, -history.score)
    if history.left_early.any():
        place = np.where(np.logical_and.reduceat(history.left_early, history.starts[:-1]), inf, place)
    return place


def decided_pairs(history: History) -> Pairs:
    """The pairs of each match that didn't draw."""
    place = order_of_teams(history)
    counts, columns = np.diff(history.team_starts), []
    for count in np.unique(counts).tolist():
        (matches,) = np.nonzero(counts == count)
        own = np.array(list(combinations(range(count), 2)), np.int64).reshape(-1, 2)
        teams = history.team_starts[matches][:, None, None] + own
        columns.append((np.repeat(matches, len(own)), teams[..., 0].ravel(), teams[..., 1].ravel()))
    if not columns:
        return Pairs.none()
    match, first, second = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(match, kind="stable")
    order = order[place[first[order]] != place[second[order]]]
    first, second = first[order], second[order]
    return Pairs(match[order], first, second, place[first] < place[second])
