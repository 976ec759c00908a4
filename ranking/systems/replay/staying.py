"""Staying is always better (see shared/staying.py), for all leavers of a part of a history at once.

Each leaver's match is copied into a history of its own, in which this one player stayed and came last. The copies are
rated by the same kernel, group by group; a leaver whose display rating is lower there gets the whole state from there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Ints, spread, starts_of
from ranking.systems.batch.facts import Facts, LastFacts
from ranking.systems.batch.groups import MatchGroup, groups_of
from ranking.systems.batch.history import BY_PARTICIPATION, History
from ranking.systems.batch.kernel import Kernel
from ranking.systems.batch.plan import RatingPlan
from ranking.systems.replay.rounding import rounded

Columns = list[Any]


class LastGroup(NamedTuple):
    """The copies of one group's matches, one for each leaver."""

    copies: MatchGroup
    seats: Ints  # by seat of the copies: the seat in the plan that it is copied from
    own: Ints  # by copy: the leaver's seat among the copies', counted from the first
    leavers: Ints  # by copy: the leaver's seat in the plan


class LastRun:
    """The copies of a plan's matches with leavers; `lowered` rates those of one group."""

    def __init__(self, system: Any, facts: Facts, kernel: type[Kernel]) -> None:
        leavers = np.flatnonzero(facts.left)
        matches = np.searchsorted(facts.plan.match_starts, leavers, side="right") - 1
        rated = ~facts.plan.scalar[matches]
        self.leavers, matches = leavers[rated], matches[rated]
        self.seats, self.own, copied = _copied(facts, self.leavers, matches)
        self.kernel = kernel(system, copied)
        bounds = np.searchsorted(matches, facts.plan.groups)
        own = np.flatnonzero(np.diff(bounds))  # the groups that have leavers
        firsts = facts.plan.match_starts[facts.plan.groups[own]].tolist()
        self._groups = dict(zip(firsts, map(self._group, groups_of(copied, leavers_apart=False)), strict=True))

    def _group(self, group: MatchGroup) -> LastGroup:
        return LastGroup(
            group, self.seats[group.seats], self.own[group.matches] - group.seats.start, self.leavers[group.matches]
        )

    def lowered(self, group: MatchGroup, before: Columns, after: Columns, *, at_once: bool) -> Bools | None:
        """Put leavers of the group who would have ended lower by staying into the state they would have had.

        `before` and `after`: the kernel's fields by seat of the group; `at_once`: the last one is the display rating.
        Returns the seats where the last digits of a float could decide; None if nobody left.
        """
        found = self._groups.get(group.seats.start)
        if found is None:
            return None
        last = self.kernel.rate(found.copies, *[column.take(found.seats - group.seats.start) for column in before])
        leavers = found.leavers - group.seats.start
        stayed = [column.take(found.own) for column in last]
        left = [column.take(leavers) for column in after]
        lower, close = self._compare(left, stayed, before[-1].take(leavers), group.shape[2], at_once=at_once)
        for column, instead, own in zip(after, stayed, left, strict=True):
            column[leavers] = np.where(lower, instead, own)
        doubtful = np.zeros(len(after[0]), bool)
        doubtful[leavers] = close
        return doubtful

    def _compare(
        self, left: Columns, stayed: Columns, before: Any, width: int, *, at_once: bool
    ) -> tuple[Bools, Bools]:
        """By leaver: True if staying gives the lower display rating, and True for a close call."""
        shown = [columns[-1] if at_once else self.kernel.units(*columns) for columns in (left, stayed)]
        (own, close), (instead, close_too) = [rounded(units, before if at_once else units, width) for units in shown]
        return instead < own, close | close_too


def _copied(facts: Facts, leavers: Ints, matches: Ints) -> tuple[Ints, Ints, LastFacts]:
    """The copies of these leavers' matches: their seats in the plan, the leavers' seats among them, and their facts."""
    plan, history = facts.plan, facts.history
    counts = facts.team_counts[matches]
    teams = spread(plan.team_starts[matches], counts)
    sizes = facts.sizes[teams]
    seats = spread(plan.starts[teams], sizes)
    team_starts, starts = starts_of(counts), starts_of(sizes)
    match_starts = starts[team_starts]
    own = match_starts[:-1] + leavers - plan.match_starts[matches]
    places = np.unique(facts.effective_place[teams], return_inverse=True)[1].reshape(-1) + 1
    places[np.searchsorted(starts, own, side="right") - 1] = len(teams) + 1  # after all others
    reported = plan.seats[seats]
    columns = {name: getattr(history, name)[reported] for name in BY_PARTICIPATION}
    for name, default in BY_PARTICIPATION.items():
        if name not in ("idle_days", "matches_before", "party"):
            columns[name][own] = default
    copies = History(
        team_starts=team_starts,
        duration=facts.duration[matches],
        rounds=history.rounds[plan.matches[matches]],
        starts=starts,
        place=places,
        score=history.score[plan.teams[teams]],
        player=history.player[reported],
        stats={name: column[reported] for name, column in history.stats.items()},
        **columns,
    )
    bounds = np.searchsorted(matches, plan.groups)
    copied_plan = RatingPlan(
        players=plan.players,
        matches=np.arange(len(matches)),
        teams=np.arange(len(teams)),
        seats=np.arange(len(seats)),
        team_starts=team_starts,
        starts=starts,
        match_starts=match_starts,
        number=plan.number[seats],
        previous=np.full(len(seats), -1),
        groups=np.unique(bounds),
        scalar=np.zeros(len(matches), bool),
    )
    return seats, own, LastFacts(copies, copied_plan, own)
