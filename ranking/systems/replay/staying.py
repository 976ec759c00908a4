"""Staying is always better (see shared/staying.py), for all leavers of a part of a history at once.

Each leaver's match is copied; in the copy, this one player stayed and came last. The copies follow the matches of their
group, and one pass of the kernel rates both. A leaver whose display rating is lower in the copy gets the whole state
from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.systems.batch.columns import Bools, Ints, spread, starts_of
from ranking.systems.batch.facts import CopiedFacts, Facts
from ranking.systems.batch.groups import MatchGroup, groups_of
from ranking.systems.batch.history import BY_PARTICIPATION, History
from ranking.systems.batch.kernel import Kernel
from ranking.systems.batch.plan import RatingPlan
from ranking.systems.replay.rounding import rounded

EXACT = 2.0**40  # units up to which a display rating's error is far below one unit
FAR = 2.0  # units between two display ratings whose rounding can't matter for which is lower

Columns = list[Any]


class StayingRun:
    """A plan's matches together with the copies, and their kernel; `rate` rates one group of the plan."""

    def __init__(self, system: Any, facts: Facts, kernel: type[Kernel]) -> None:
        plan = facts.plan
        leavers = np.flatnonzero(facts.left)
        copied = np.searchsorted(plan.match_starts, leavers, side="right") - 1
        rated = ~plan.scalar[copied]
        self.leavers, copied = leavers[rated], copied[rated]  # by copy: the leaver's seat in the plan, and the match
        every = np.concatenate([np.arange(len(plan.matches)), copied])
        group = np.searchsorted(plan.groups, every, side="right")
        order = np.argsort(2 * group + (np.arange(len(every)) >= len(plan.matches)), kind="stable")
        self.matches = np.flatnonzero(order < len(plan.matches))  # of the plan, among all
        self.seats, self.own, self.facts = _with_copies(facts, every[order], order >= len(plan.matches), self.leavers)
        self.kernel = kernel(system, self.facts)
        self._groups = list(groups_of(self.facts, leavers_apart=kernel.leavers_apart))
        self._bounds = np.searchsorted(copied, plan.groups).tolist()  # by group: its first copy

    def rate(self, number: int, plain: MatchGroup, before: Columns, *, at_once: bool) -> tuple[Columns, Bools | None]:
        """Rate the group with this number, and put leavers who would have ended lower by staying into that state.

        `plain`: the group in the plan; `before`: the kernel's fields by its seats; `at_once`: the last one is the
        display rating. Also returns the seats where the last digits of a float could decide; None if nobody left.
        """
        group, copies = self._groups[number], slice(*self._bounds[number : number + 2])
        first, count = plain.seats.start, plain.seats.stop - plain.seats.start
        if copies.start == copies.stop:
            return list(self.kernel.rate(group, *before)), None
        sources = self.seats[group.seats] - first
        rated = self.kernel.rate(group, *[column.take(sources) for column in before])
        after, leavers = [column[:count] for column in rated], self.leavers[copies] - first
        stayed = [column.take(self.own[copies] - group.seats.start) for column in rated]
        left = [column.take(leavers) for column in after]
        lower, close = self._compare(left, stayed, before[-1].take(leavers), group.shape[2], at_once=at_once)
        for column, instead, own in zip(after, stayed, left, strict=True):
            column[leavers] = np.where(lower, instead, own)
        doubtful = np.zeros(count, bool)
        doubtful[leavers] = close
        return after, doubtful

    def _compare(
        self, left: Columns, stayed: Columns, before: Any, width: int, *, at_once: bool
    ) -> tuple[Bools, Bools]:
        """By leaver: True if staying gives the lower display rating, and True for a close call."""
        shown = [columns[-1] if at_once else self.kernel.units(*columns) for columns in (left, stayed)]
        (own, close), (instead, close_too) = [rounded(units, before if at_once else units, width) for units in shown]
        with np.errstate(invalid="ignore"):  # infinities and NaN, which are close
            far = (np.abs(shown[0] - shown[1]) > FAR) & (np.abs(shown[0]) < EXACT) & (np.abs(shown[1]) < EXACT)
            lower = np.where(far, shown[1] < shown[0], instead < own)
        return lower, (close | close_too) & ~far


def _with_copies(facts: Facts, matches: Ints, copy: Bools, leavers: Ints) -> tuple[Ints, Ints, CopiedFacts]:
    """These matches of the plan, some of them copies: their seats in the plan, the leavers' own seats, and their facts.

    `copy`: by match; `leavers`: by copy, the seat in the plan of the player who stayed.
    """
    plan, history = facts.plan, facts.history
    counts = facts.team_counts[matches]
    teams = spread(plan.team_starts[matches], counts)
    sizes = facts.sizes[teams]
    seats = spread(plan.starts[teams], sizes)
    team_starts, starts = starts_of(counts), starts_of(sizes)
    match_starts = starts[team_starts]
    own = match_starts[:-1][copy] + leavers - plan.match_starts[matches[copy]]
    team_copy = np.repeat(copy, counts)
    reported = plan.seats[seats]
    columns = {name: _taken(getattr(history, name), reported) for name in BY_PARTICIPATION}
    for name, default in BY_PARTICIPATION.items():
        if name not in ("idle_days", "matches_before", "party") and columns[name].flags.writeable:
            columns[name][own] = default
    everything = History(
        team_starts=team_starts,
        duration=facts.duration[matches],
        rounds=history.rounds[plan.matches[matches]],
        starts=starts,
        place=_places(facts, teams, team_copy, np.searchsorted(starts, own, side="right") - 1),
        score=history.score[plan.teams[teams]],
        player=history.player[reported],
        stats={name: column[reported] for name, column in history.stats.items()},
        **columns,
    )
    whole = _plan(plan, everything, seats, matches, copy)
    return seats, own, CopiedFacts(everything, whole, own, team_copy)


def _plan(plan: RatingPlan, history: History, seats: Ints, matches: Ints, copy: Bools) -> RatingPlan:
    """The plan of these matches, which the history has in this order; a group's copies follow its matches."""
    bounds = np.searchsorted(np.flatnonzero(copy) - np.arange(copy.sum()), plan.groups, side="right")
    return RatingPlan(
        players=plan.players,
        matches=np.arange(len(matches)),
        teams=np.arange(len(history.place)),
        seats=np.arange(len(seats)),
        team_starts=history.team_starts,
        starts=history.starts,
        match_starts=history.match_starts,
        number=plan.number[seats],
        previous=np.full(len(seats), -1),
        groups=plan.groups + bounds,
        scalar=plan.scalar[matches],
    )


def _taken(column: Any, indices: Ints) -> Any:
    """The column at these indices; one without any value takes no memory here, either, and can't be written to."""
    return column[indices] if column.strides[0] else np.broadcast_to(column[:1], len(indices))


def _places(facts: Facts, teams: Ints, copy: Bools, last: Ints) -> Ints:
    """By team: the place as reported; in a copy the effective one, and `last` are the teams after all others."""
    places = facts.history.place[facts.plan.teams[teams]].astype(np.int64)
    effective = np.unique(facts.effective_place[teams[copy]], return_inverse=True)[1].reshape(-1)
    places[copy] = effective + 1
    places[last] = len(teams) + 1
    return places
