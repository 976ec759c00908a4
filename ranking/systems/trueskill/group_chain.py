"""TrueSkill's chain for matches in which three or more sides share a place: each such group is one member of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import fsum

from ranking.systems.shared.maths import FLOATS
from ranking.systems.trueskill._chain import Chain, Lesson, Link
from ranking.systems.trueskill.formulas import draw_margin
from ranking.systems.trueskill.tied_group import Message, Moments, TiedGroup

Numbers = Sequence[float]  # by team
LEAST_SHARE = 1e-9  # of a precision: what is left of a difference must not vanish by rounding


def lessons_with_groups(
    means: Numbers, variances: Numbers, players: Numbers, places: Numbers, unit_margin: float
) -> list[Lesson]:
    """What each team learns, if teams that share a place are one member of the chain.

    The draw margin of teams of different sizes that share a place is that of their mean size.
    """
    by_place: dict[float, list[int]] = {}
    # The last digits of sums depend on their order, and the order of the report means nothing.
    for team in sorted(range(len(places)), key=lambda i: (places[i], means[i], variances[i], players[i])):
        by_place.setdefault(places[team], []).append(team)
    tied = list(by_place.values())
    sizes = [fsum([players[team] for team in group]) / len(group) for group in tied]
    members: list[float | TiedGroup] = [variances[group[0]] for group in tied]
    middles = [means[group[0]] for group in tied]
    for index, (group, size) in enumerate(zip(tied, sizes, strict=True)):
        if len(group) > 1:
            margin = draw_margin(unit_margin, 2 * size, FLOATS)
            between = index > 0, index < len(tied) - 1
            one = TiedGroup([means[team] for team in group], [variances[team] for team in group], margin, between)
            members[index], middles[index] = one, one.middle
    links = [
        Link(middle - next_middle, draw_margin(unit_margin, size + next_size, FLOATS), tied=False)
        for (middle, size), (next_middle, next_size) in pairwise(zip(middles, sizes, strict=True))
    ]
    learnt = GroupChain(members, links).lessons_by_member()
    settled = {
        team: lesson
        for group, lessons in zip(tied, learnt, strict=True)
        for team, lesson in zip(group, lessons, strict=True)
    }
    return [settled[team] for team in range(len(places))]


class GroupChain(Chain):
    """A chain whose members are teams, given by their variances, or groups of tied ones."""

    __slots__ = ("groups",)

    def __init__(self, members: Sequence[float | TiedGroup], links: Sequence[Link]) -> None:
        self.groups = {index: member for index, member in enumerate(members) if isinstance(member, TiedGroup)}
        super().__init__([m.least_variance if isinstance(m, TiedGroup) else m for m in members], links)

    def lessons_by_member(self) -> list[list[Lesson]]:
        """What each team of each member learns."""
        by_member = [[lesson] for lesson in (self.settle() if self.links else self._lessons())]
        for index, group in self.groups.items():
            by_member[index] = [Lesson(*lesson) for lesson in group.lessons(*self._known(index))]
        return by_member

    def _lower(self, i: int) -> tuple[float, float]:
        if i not in self.groups:
            return super()._lower(i)
        above, below = self._known(i)
        return _but_for(below, self.groups[i].ends(above, below)[1])

    def _upper(self, i: int) -> tuple[float, float]:
        if i not in self.groups:
            return super()._upper(i)
        above, below = self._known(i)
        return _but_for(above, self.groups[i].ends(above, below)[0])

    def _known(self, i: int) -> tuple[Message, Message]:
        """What the links with the members before and after say."""
        return Message(self.pi_before[i], self.tau_before[i]), Message(self.pi_after[i], self.tau_after[i])


def _but_for(message: Message, moments: Moments) -> tuple[float, float]:
    """Mean and variance without what a message says."""
    precision = 1 / moments.variance
    pi = max(precision - message.pi, LEAST_SHARE * precision)
    return (moments.mean * precision - message.tau) / pi, 1 / pi
