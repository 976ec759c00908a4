"""Two-layer's sums over teams (see hidden.py), which give z and c; had a leaver stayed, those of one team change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Floats
from ranking.systems.batch.leavers import Leavers

Distance = tuple[Floats, Floats]  # z and c, by match or leaver


class TeamSums(NamedTuple):
    """Sums over players of the weight w, by match (or leaver) and team."""

    strength: Floats  # of w·strength
    variance: Floats  # of w²·(s² + beta²)
    weight: Floats  # of w
    whole: Floats  # of w as if nobody had left

    def distance(self) -> Distance:
        c = np.sqrt(self.variance.sum(axis=1))
        return (self.strength[:, 0] - self.strength[:, 1]) / c, c

    def renormalised(self) -> TeamSums:
        """With weights that add up as if nobody had left."""
        factor = self.whole / self.weight
        return self._replace(strength=self.strength * factor, variance=self.variance * (factor * factor))

    def with_leavers(self, leavers: Leavers, strength: Floats, variance: Floats, weights: Floats) -> TeamSums:
        """Below, by leaver, those with the leaver's weight 1; arguments by match, team and seat."""
        w, own, spread = (table[leavers.row, leavers.team, leavers.offset] for table in (weights, strength, variance))
        return TeamSums(
            strength=np.concatenate([self.strength, leavers.rows(self.strength, (1 - w) * own)]),
            variance=np.concatenate([self.variance, leavers.rows(self.variance, (1 - w * w) * spread)]),
            weight=np.concatenate([self.weight, leavers.rows(self.weight, 1 - w)]),
            whole=np.concatenate([self.whole, self.whole.take(leavers.row, axis=0)]),
        )


def sums_of(strength: Floats, variance: Floats, weights: Floats, whole: Floats) -> TeamSums:
    """Arguments by match, team and seat; `whole`: the weights as if nobody had left. They are 0 for padding."""
    return TeamSums(
        strength=_by_team(weights * strength),
        variance=_by_team(weights * weights * variance),
        weight=_by_team(weights),
        whole=_by_team(whole),
    )


def _by_team(table: Floats) -> Floats:
    """Sums by match and team. For few numbers a row, a product with ones takes a third of the time of `sum`."""
    sums: Floats = table.reshape(-1, table.shape[2]).dot(np.ones(table.shape[2])).reshape(-1, 2)
    return sums
