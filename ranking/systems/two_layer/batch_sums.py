"""Two-layer's sums over teams (see hidden.py), which give z and c; a case changes those of one team."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.cases import Cases
from ranking.systems.batch.columns import Floats

Distance = tuple[Floats, Floats]  # z and c, by match or case


class TeamSums(NamedTuple):
    """Sums over players of the weight w, by match (or case) and team."""

    strength: Floats  # of w·strength
    variance: Floats  # of w²·(s² + beta²)
    weight: Floats  # of w
    size: Floats  # of 1

    def distance(self) -> Distance:
        c = np.sqrt(self.variance.sum(axis=1))
        return (self.strength[:, 0] - self.strength[:, 1]) / c, c

    def renormalised(self) -> TeamSums:
        """With weights that add up to the team's size."""
        factor = self.size / self.weight
        return self._replace(strength=self.strength * factor, variance=self.variance * (factor * factor))

    def with_cases(self, cases: Cases, strength: Floats, variance: Floats, weights: Floats) -> TeamSums:
        """Below the matches the cases, in which the one player has the weight 1; arguments by match, team and seat."""
        w, own, spread = (table[cases.row, cases.team, cases.offset] for table in (weights, strength, variance))
        return TeamSums(
            strength=cases.below(self.strength, (1 - w) * own),
            variance=cases.below(self.variance, (1 - w * w) * spread),
            weight=cases.below(self.weight, 1 - w),
            size=cases.below(self.size, 0.0),
        )


def sums_of(strength: Floats, variance: Floats, weights: Floats, there: Floats) -> TeamSums:
    """Arguments by match, team and seat; `there`: 1 for a player, 0 for padding."""
    return TeamSums(
        strength=(weights * strength).sum(axis=2),
        variance=(weights * weights * variance).sum(axis=2),
        weight=weights.sum(axis=2),
        size=there.sum(axis=2),
    )
