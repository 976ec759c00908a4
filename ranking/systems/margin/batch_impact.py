"""The players of a group of matches in their teams, and what their statistics say about them (see impact.py)."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Bools, Column, Floats, Ints
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.leavers import Leavers
from ranking.systems.margin import formulas
from ranking.systems.margin.batch_observation import Pulls, Sides
from ranking.systems.margin.impact import LEAST_DEVIATION
from ranking.systems.margin.system import Margin
from ranking.systems.shared.maths import ARRAYS


class Cells:
    """Means, variances and weights of a group's seats, and their sums by team. `weight` None: all are 1."""

    def __init__(self, group: MatchGroup, mu: Floats, s2: Floats, weight: Floats | None) -> None:
        self.group, self.mu, self.s2, self.weight = group, mu, s2, weight

    def weight_at(self, seats: Ints) -> Floats | float:
        return 1.0 if self.weight is None else self.weight.take(seats)

    def sides(self, system: Margin, party: Floats | None, calm: Floats, weight: Floats | None) -> Sides:
        """The teams as they played, or as if nobody had left, by the weights of seats; None if all are 1."""
        present = self.group.present
        mean, variance = self.group.table(self.mu) + system.worth, self.group.table(self.s2)
        size: Floats
        if weight is not None:
            weights = self.group.table(weight)
            weights = weights if present is None else weights * present
            mean, variance, size = weights * mean, weights * weights * variance, weights.sum(axis=2)
        elif present is not None:
            mean, variance, size = present * mean, present * variance, present.sum(axis=2)
        else:
            size = np.full(mean.shape[:2], float(mean.shape[2]))
        total = mean.sum(axis=2)
        if party is not None:
            total += party
        return Sides(total, variance.sum(axis=2), size, formulas.noise(size, system.beta, calm[:, None]))

    def judged_worst(
        self,
        system: Margin,
        leavers: Leavers,
        stat: Floats,
        stayers: Bools,
        pulls: Pulls,
        calm: Floats,
        form: tuple[Floats, Floats],
    ) -> tuple[Floats, Floats]:
        """Forms of leavers, had they stayed with the lowest statistic of otherwise equal ones.

        `stayers`: by seat, True for those who are judged. `pulls`: those of each leaver's team in that match.
        """
        table, width = self.group, self.group.shape[2]
        there = np.ones(table.shape, bool) if table.present is None else table.present > 0
        own = np.zeros((len(leavers.row), width), bool)
        own[np.arange(len(own)), leavers.offset] = True

        def mates(column: Column) -> Column:
            return table.table(column)[leavers.row, leavers.team]

        judged = (mates(stayers) & there[leavers.row, leavers.team]) | own
        known = (~np.isnan(mates(stat)) | own | ~judged).all(axis=1) & (judged.sum(axis=1) > 1)
        mu, s2 = mates(self.mu), mates(self.s2)
        weight = 1.0 if self.weight is None else np.where(own, 1.0, mates(self.weight))
        mu, s2 = formulas.pulled(mu, s2, weight * s2, Pulls(*(column[:, None] for column in pulls)), ARRAYS)
        new_mu, new_s2 = _judged(system, judged, np.where(own, 0.0, 1.0), calm[:, None], mu, s2)
        return np.where(known, new_mu[own], form[0]), np.where(known, new_s2[own], form[1])


def judge(
    system: Margin, cells: Cells, stat: Floats, stayers: Bools, calm: Floats, mu: Floats, variance: Floats
) -> None:
    """Change forms by seat, in place, by what the statistics of those who are judged say."""
    group = cells.group
    judged = group.table(stayers) if group.present is None else (group.present > 0) & group.table(stayers)
    values = group.table(stat)
    known = (~np.isnan(values) | ~judged).all(axis=2) & (judged.sum(axis=2) > 1)
    judged = judged & known[:, :, None]
    own_mu, own_variance = group.table(mu), group.table(variance)
    tables = _judged(system, judged, np.where(judged, values, 0.0), calm[:, None, None], own_mu, own_variance)
    chosen = group.seated(judged)
    for column, table in zip((mu, variance), tables, strict=True):
        column[chosen] = group.seated(table)[chosen]


def _judged(
    system: Margin, judged: Bools, values: Floats, calm: Floats, mu: Floats, variance: Floats
) -> tuple[Floats, Floats]:
    """Forms after the statistics, along the last axis; unchanged for those who aren't judged."""
    count = np.maximum(judged.sum(axis=-1, keepdims=True), 1)
    off = np.where(judged, values - (values * judged).sum(axis=-1, keepdims=True) / count, 0.0)
    deviation = np.sqrt((off * off).sum(axis=-1, keepdims=True) / count)
    differ = deviation > LEAST_DEVIATION
    seen = formulas.seen_by_stat(off, np.where(differ, deviation, 1.0), system.impact)
    w = judged * formulas.sureness(variance, formulas.stat_noise(system.impact_noise, calm))
    total = w.sum(axis=-1, keepdims=True)
    total = np.where(total > 0, total, 1.0)
    away = seen - mu
    r = away - (w * away).sum(axis=-1, keepdims=True) / total
    chosen = judged & differ
    new_mu, new_variance = formulas.judged(mu, variance, w, r, formulas.share_of_others(w, total))
    return np.where(chosen, new_mu, mu), np.where(chosen, new_variance, variance)
