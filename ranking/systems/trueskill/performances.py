"""Teams' performances in TrueSkill (see system.py): before a match, what the match tells, and the skills after it.

Sums are rounded once (fsum), so the order of the players doesn't matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import fsum, sqrt
from typing import NamedTuple

from ranking.systems.shared.gaussian import above, within
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.trueskill.chain import Chain, Lesson, Link

LEAST_VARIANCE = 1e-18  # of a skill: rounding must not bring it to zero

Weights = Sequence[float]  # of a team's players


class Performance(NamedTuple):
    """A team's performance N(mean, variance), and the numbers of its players that it is the sum of."""

    mean: float
    variance: float
    means: Sequence[float]
    variances: Sequence[float]  # s² = sigma² + tau²
    gains: Sequence[float]  # w·s²

    def after(self, pull: float, sureness: float) -> tuple[GaussianSkill, ...]:
        """The players' skills after the match; `pull` and `sureness`: the team's lesson."""
        return tuple(
            [
                GaussianSkill(
                    mean + gain * pull,
                    sqrt(rest if (rest := s2 - gain * gain * sureness) > LEAST_VARIANCE else LEAST_VARIANCE),
                )
                for mean, s2, gain in zip(self.means, self.variances, self.gains, strict=True)
            ]
        )


def performance(
    skills: Sequence[GaussianSkill], tau2: float, beta2: float, weights: Weights | None = None
) -> Performance:
    """The weighted sum of the players' performances; without `weights`, each weight is 1."""
    means = [mu for mu, _ in skills]
    variances = [sigma * sigma + tau2 for _, sigma in skills]
    if weights is None:
        return Performance(fsum(means), fsum(variances) + len(skills) * beta2, means, variances, variances)
    return Performance(
        mean=fsum([w * mu for w, mu in zip(weights, means, strict=True)]),
        variance=fsum([w * w * (s2 + beta2) for w, s2 in zip(weights, variances, strict=True)]),
        means=means,
        variances=variances,
        gains=[w * s2 for w, s2 in zip(weights, variances, strict=True)],
    )


def two_lessons(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """What a match tells about each of two teams, in closed form."""
    first, second = teams
    c2 = first.variance + second.variance
    c, ahead = sqrt(c2), first.mean - second.mean
    margin = unit_margin * sqrt(len(first.means) + len(second.means))
    if places[0] == places[1]:
        v, w, _ = within(ahead / c, margin / c)
    elif places[0] < places[1]:
        v, w, _ = above((ahead - margin) / c)
    else:
        v, w, _ = above((-ahead - margin) / c)
        v = -v
    return Lesson(v / c, w / c2), Lesson(-v / c, w / c2)


def lessons_of(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """What a match tells about each of any number of teams, by message passing in the order of their places."""
    order = sorted(range(len(places)), key=places.__getitem__)
    links = [
        Link(
            gap=teams[i].mean - teams[j].mean,
            margin=unit_margin * sqrt(len(teams[i].means) + len(teams[j].means)),
            tied=places[i] == places[j],
        )
        for i, j in pairwise(order)
    ]
    settled = dict(zip(order, Chain([teams[i].variance for i in order], links).settle(), strict=True))
    return [settled[index] for index in range(len(order))]
