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
from ranking.systems.trueskill.chain import Chain, Lesson, Link
from ranking.systems.trueskill.group_chain import GroupChain
from ranking.systems.trueskill.tied_group import TiedGroup

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
        after, m = formulas.skill_after, FLOATS
        players = zip(self.means, self.variances, self.gains, strict=True)
        return tuple([GaussianSkill(*after(mean, s2, gain, pull, sureness, m)) for mean, s2, gain in players])


def performance(
    skills: Sequence[GaussianSkill], tau: float, beta: float, weights: Weights | None = None
) -> Performance:
    """The weighted sum of the players' performances; without `weights`, each weight is 1."""
    means = [mu for mu, _ in skills]
    variances = [drifted(sigma * sigma, tau) for _, sigma in skills]
    if weights is None:
        total = team_variance(fsum(variances), len(skills), beta)
        return Performance(fsum(means), total, means, variances, variances)
    gains = [w * s2 for w, s2 in zip(weights, variances, strict=True)]
    squares = fsum([w * gain for w, gain in zip(weights, gains, strict=True)])
    return Performance(
        mean=fsum([w * mu for w, mu in zip(weights, means, strict=True)]),
        variance=team_variance(squares, fsum([w * w for w in weights]), beta),
        means=means,
        variances=variances,
        gains=gains,
    )


def two_lessons(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """What a match tells about each of two teams, in closed form."""
    first, second = teams
    variance, ahead = first.variance + second.variance, first.mean - second.mean
    margin = formulas.draw_margin(unit_margin, len(first.means) + len(second.means), FLOATS)
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
            margin=formulas.draw_margin(unit_margin, len(teams[i].means) + len(teams[j].means), FLOATS),
            tied=places[i] == places[j],
        )
        for i, j in pairwise(order)
    ]
    settled = dict(zip(order, Chain([teams[i].variance for i in order], links).settle(), strict=True))
    return [settled[index] for index in range(len(order))]


def lessons_with_groups(teams: Sequence[Performance], places: Sequence[int], unit_margin: float) -> Sequence[Lesson]:
    """The same, but teams that share a place are one member of the chain, within which their order doesn't matter.

    The draw margin of teams of different sizes that share a place is that of their mean size.
    """
    by_place: dict[int, list[int]] = {}
    # The last digits of sums depend on their order, and the order of the report means nothing.
    for index in sorted(range(len(places)), key=lambda index: (places[index], *_numbers(teams[index]))):
        by_place.setdefault(places[index], []).append(index)
    tied = list(by_place.values())
    sizes = [fsum([len(teams[index].means) for index in group]) / len(group) for group in tied]
    members = [
        _member(
            [teams[index] for index in group],
            formulas.draw_margin(unit_margin, 2 * size, FLOATS),
            (group is not tied[0], group is not tied[-1]),
        )
        for group, size in zip(tied, sizes, strict=True)
    ]
    links = [
        Link(middle - next_middle, formulas.draw_margin(unit_margin, size + next_size, FLOATS), tied=False)
        for ((_, middle), size), ((_, next_middle), next_size) in pairwise(zip(members, sizes, strict=True))
    ]
    learnt = GroupChain([member for member, _ in members], links).lessons_by_member()
    settled = {
        index: lesson
        for group, lessons in zip(tied, learnt, strict=True)
        for index, lesson in zip(group, lessons, strict=True)
    }
    return [settled[index] for index in range(len(places))]


def _numbers(team: Performance) -> tuple[float, ...]:
    return team.mean, team.variance, len(team.means)


def _member(teams: Sequence[Performance], margin: float, between: tuple[bool, bool]) -> tuple[float | TiedGroup, float]:
    """A member of the chain, and its mean: a team by its variance, or teams that share a place."""
    if len(teams) == 1:
        return teams[0].variance, teams[0].mean
    group = TiedGroup([team.mean for team in teams], [team.variance for team in teams], margin, between)
    return group, group.middle
