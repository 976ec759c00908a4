"""Teams' performances in TrueSkill (see system.py): before a match, what the match tells, and the skills after it.

Sums are rounded once (fsum), so the order of the players doesn't matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from ranking.systems.shared.formulas import drifted, outcome_of, team_variance
from ranking.systems.shared.maths import FLOATS
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.trueskill import formulas
from ranking.systems.trueskill._chain import Chain, Lesson, Link
from ranking.systems.trueskill.group_chain import lessons_with_groups

Weights = Sequence[float]  # of a team's players


class Performance(NamedTuple):
    """A team's performance N(mean, variance), and the numbers of its players that it is the sum of."""

    mean: float
    variance: float
    means: Sequence[float]
    variances: Sequence[float]  # s² = sigma² + tau²
    gains: Sequence[float]  # w·s²
    size: float  # the number of players, by which draws are likelier; part-time players count by their share

    def after(self, pull: float, sureness: float) -> tuple[GaussianSkill, ...]:
        """The players' skills after the match; `pull` and `sureness`: the team's lesson."""
        after, m = formulas.skill_after, FLOATS
        players = zip(self.means, self.variances, self.gains, strict=True)
        return tuple([GaussianSkill(*after(mean, s2, gain, pull, sureness, m)) for mean, s2, gain in players])


def performance(
    skills: Sequence[GaussianSkill],
    tau: float,
    beta: float,
    weights: Weights | None = None,
    size: float | None = None,
) -> Performance:
    """The weighted sum of the players' performances; without `weights`, each weight is 1.

    `size`: the number of players, if part-time players are among them.
    """
    means = [mu for mu, _ in skills]
    variances = [drifted(sigma * sigma, tau) for _, sigma in skills]
    if weights is None:
        total = team_variance(fsum(variances), len(skills), beta)
        return Performance(fsum(means), total, means, variances, variances, len(skills))
    gains = [w * s2 for w, s2 in zip(weights, variances, strict=True)]
    squares = fsum([w * gain for w, gain in zip(weights, gains, strict=True)])
    return Performance(
        mean=fsum([w * mu for w, mu in zip(weights, means, strict=True)]),
        variance=team_variance(squares, fsum([w * w for w in weights]), beta),
        means=means,
        variances=variances,
        gains=gains,
        size=len(skills) if size is None else size,
    )


def two_lessons(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """What a match tells about each of two teams, in closed form."""
    first, second = teams
    variance, ahead = first.variance + second.variance, first.mean - second.mean
    margin = formulas.draw_margin(unit_margin, first.size + second.size, FLOATS)
    if outcome := outcome_of(*places):
        pull, sureness = formulas.lesson_of_win(ahead, variance, margin, outcome, FLOATS)
    else:
        pull, sureness = formulas.lesson_of_draw(ahead, variance, margin, FLOATS)
    return Lesson(pull, sureness), Lesson(-pull, sureness)


def lessons_of(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """What a match tells about each of any number of teams, by message passing in the order of their places."""
    order = sorted(range(len(places)), key=places.__getitem__)
    links = [
        Link(
            gap=teams[i].mean - teams[j].mean,
            margin=formulas.draw_margin(unit_margin, teams[i].size + teams[j].size, FLOATS),
            tied=places[i] == places[j],
        )
        for i, j in pairwise(order)
    ]
    settled = dict(zip(order, Chain([teams[i].variance for i in order], links).settle(), strict=True))
    return [settled[index] for index in range(len(order))]


def lessons_of_groups(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """The same, but teams that share a place are one member of the chain, within which their order doesn't matter."""
    means, variances = [team.mean for team in teams], [team.variance for team in teams]
    return lessons_with_groups(means, variances, [team.size for team in teams], places, unit_margin)
