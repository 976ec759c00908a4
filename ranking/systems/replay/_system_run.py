"""Rates one part of a history, which has one system, group by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from ranking.systems.base import S, State, System
from ranking.systems.batch.columns import Floats, Ints, any_of
from ranking.systems.batch.facts import Facts, unusual
from ranking.systems.batch.groups import MatchGroup, groups_of
from ranking.systems.batch.history import History
from ranking.systems.batch.kernel import Kernel, LearningKernel
from ranking.systems.batch.plan import RatingPlan, plan_of
from ranking.systems.batch.scalar import result_of
from ranking.systems.batch.states import DISPLAY, FIELDS, States
from ranking.systems.registry import KERNELS
from ranking.systems.replay.rounding import rounded
from ranking.systems.replay.staying import settle_hidden, settle_shown
from ranking.systems.shared.learning import Lesson

CHECKED = 1 << 15  # seats rated before their hidden numbers are rounded and searched for close calls


class PlannedPart(NamedTuple):
    """A part of a history in the order in which all versions of one system rate it."""

    plan: RatingPlan
    facts: Facts
    groups: Sequence[MatchGroup]


def plan_part(system: System[S], history: History, states: States | None = None) -> PlannedPart:
    """Plan a part of a history. `states`: those of all players before it; None if a kernel can compute with all."""
    kernel = KERNELS.get(type(system))
    scalar = unusual(system, history) if kernel else np.ones(history.matches, bool)
    if kernel and states is not None:
        scalar |= any_of(~kernel.takes(states)[history.player], history.match_starts)
    plan = plan_of(history, scalar)
    facts = Facts(history, plan, counts_shares=system.counts_shares)
    groups = groups_of(facts, leavers_apart=kernel is not None and kernel.leavers_apart)
    return PlannedPart(plan, facts, list(groups))


class SystemRun:
    """`now`, `before` and `after` hold a column for each field: `now` by player of the plan, the others by seat.

    `before` has no column for the display rating if that isn't one of the kernel's fields. `planned`: the part's plan,
    if it was made before. `shows` False: display ratings that are computed from hidden numbers aren't wanted.
    """

    def __init__(
        self,
        system: System[S],
        history: History,
        states: States,
        scalar_below: int | None,
        with_lessons: bool = False,
        *,
        planned: PlannedPart | None = None,
        shows: bool = True,
    ) -> None:
        self.system, self.history, self.scalar_below = system, history, scalar_below
        self.plan, self.facts, self.groups = planned or plan_part(system, history, states)
        kernel = KERNELS.get(type(system))
        self.kernel: Kernel | None = kernel(system, self.facts) if kernel else None
        self.lessons: Floats | None = None  # by match, the numbers of a Lesson, if they are wanted
        if with_lessons and isinstance(self.kernel, LearningKernel):
            self.lessons = self.kernel.lessons = np.full((history.matches, len(Lesson._fields) - 1), nan)
        self.fields = kernel.fields if kernel else FIELDS
        self.rounded_at_once = DISPLAY in self.fields
        self.shows = shows and kernel is not None and not self.rounded_at_once
        self.now = {name: getattr(states, name).take(self.plan.players) for name in {*self.fields, DISPLAY}}
        seats = len(self.plan.seats)
        self.before = {name: np.empty(seats, self.now[name].dtype) for name in self.fields}
        self.after = {name: np.zeros(seats, column.dtype) for name, column in self.now.items()}
        self.rated_scalar = np.zeros(seats, bool)
        self.chance = np.full(len(self.plan.teams), nan)

    def rate(self) -> None:
        """Rate all groups.

        Hidden numbers are rounded many at a time; if one is a close call, all groups after it are rated again.
        """
        groups = self.groups
        firsts, done, shown = [group.seats.start for group in groups], 0, 0
        while done < len(groups):
            self._rate_group(groups[done])
            done += 1
            seats = slice(firsts[shown], groups[done - 1].seats.stop)
            if self.kernel is None or not self.shows or (seats.stop - seats.start < CHECKED and done < len(groups)):
                continue
            close = self._show(self.kernel, seats)
            if len(close):
                done = int(np.searchsorted(firsts, close[0], side="right"))
                self._go_back(slice(groups[done - 1].seats.stop, seats.stop))
                self._rate_scalar(close[close < groups[done - 1].seats.stop])
            shown = done
        if self.kernel:
            self._set_chances(*self.kernel.chances())

    def _rate_group(self, group: MatchGroup) -> None:
        kernel, seats = self.kernel, group.seats
        players = self.plan.number[seats]
        before = [self.now[name].take(players) for name in self.fields]
        for name, values in zip(self.fields, before, strict=True):
            self.before[name][seats] = values
        fewest = self.scalar_below
        if fewest is None:
            fewest = kernel.fewest(*group.shape[1:]) if kernel else 0
        if kernel is None or group.scalar or group.count < fewest:
            self._rate_scalar(np.arange(seats.start, seats.stop))
            return
        after = list(kernel.rate(group, *before))
        settle = settle_shown if self.rounded_at_once else settle_hidden
        calls = settle(self.system, kernel, group, before[-1], after)
        for name, values in zip(self.fields, after, strict=True):
            column = values[: len(players)]
            self.after[name][seats] = column
            self.now[name][players] = column
        if len(calls):
            self._rate_scalar(calls + seats.start)

    def _show(self, kernel: Kernel, seats: slice) -> Ints:
        """Round hidden numbers to display ratings; return the seats at which the rounding is a close call."""
        units = kernel.units(self.system, *(self.after[name][seats] for name in self.fields))
        whole, close = rounded(units, units, int(self.facts.sizes.max()))
        scalar, shown = self.rated_scalar[seats], self.after[DISPLAY][seats]
        np.multiply(whole, kernel.unit, out=shown, where=~scalar)
        self.now[DISPLAY][self.plan.number[seats]] = shown  # in order, so that a player's last value stays
        calls: Ints = np.flatnonzero(close & ~scalar) + seats.start
        return calls

    def _go_back(self, seats: slice) -> None:
        """Restore the states before these seats, which are the last ones rated."""
        players = self.plan.number[seats][::-1]
        for name in self.fields:
            self.now[name][players] = self.before[name][seats][::-1]

    def _rate_scalar(self, seats: Ints) -> None:
        """Rate the matches of these seats by the scalar face."""
        starts = self.plan.match_starts
        for match in np.unique(np.searchsorted(starts, seats, side="right") - 1).tolist():
            self._rate_match(match, slice(int(starts[match]), int(starts[match + 1])))

    def _rate_match(self, match: int, seats: slice) -> None:
        system = self._system_at(match)
        result = system.attended(result_of(system, self.history, self.plan, match, self._states_before(seats)))
        states = [system.to_state(skill) for team in system.rate(result) for skill in team]
        players = self.plan.number[seats]
        for name, column in self.after.items():
            values = [getattr(state, name) for state in states]
            column[seats] = self.now[name][players] = [nan if value is None else value for value in values]
        self.rated_scalar[seats] = True
        if self.lessons is not None:
            _, *numbers = system.lesson(result)
            self.lessons[match] = [nan if number is None else number for number in numbers]
        chances = system.win_probability([team.players for team in result.teams])
        first = int(self.plan.team_starts[match])
        self.chance[first : first + len(chances)] = [nan if chance is None else chance for chance in chances]

    def _system_at(self, match: int) -> System[Any]:
        """The system with what the mode had learnt when this match of the plan was played."""
        number = int(self.history.mode_state[self.plan.matches[match]])
        return self.system if number < 0 else self.system.with_learning(self.history.mode_states[number])

    def _states_before(self, seats: slice) -> Iterator[State]:
        """The states before these seats; None for the numbers that the system doesn't have."""
        columns = [self.before[name][seats].tolist() for name in self.before]
        for values in zip(*columns, strict=True):
            fields = dict(zip(self.before, values, strict=True))
            shown = fields.pop(DISPLAY, 0)
            yield State(shown, **{name: None if isnan(value) else value for name, value in fields.items()})

    def _set_chances(self, first: Floats, second: Floats) -> None:
        """Keep the kernel's chances, by match; NaN for a match that the scalar face rated."""
        known = np.flatnonzero(~np.isnan(first))
        teams = self.plan.team_starts[known]
        self.chance[teams], self.chance[teams + 1] = first[known], second[known]
