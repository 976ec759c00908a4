"""Rating a part of a history that has one system, group by group."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan
from typing import Any

import numpy as np

from ranking.systems.base import State, System
from ranking.systems.batch.columns import Bools, Floats, Ints, any_of
from ranking.systems.batch.facts import Facts, unusual
from ranking.systems.batch.groups import Group, groups_of
from ranking.systems.batch.history import History
from ranking.systems.batch.kernel import Kernel
from ranking.systems.batch.plan import plan_of
from ranking.systems.batch.scalar import result_of
from ranking.systems.batch.states import DISPLAY, FIELDS, States
from ranking.systems.replay.registry import KERNELS

CLOSE = 1e-7  # to a rounding boundary, in what is rounded to whole numbers: hundredths or points
CHECKED = 1 << 15  # seats rated before hidden numbers are looked through for close calls
EPSILON = 2.0**-52


class SystemRun:
    """`now`: states by player of the plan, as they stand; `before` and `after`: by seat; by name of the field.

    Where the display rating isn't among a kernel's fields, it has no column in `before`.
    """

    def __init__(self, system: System[Any], history: History, states: States, by_hand_below: int | None) -> None:
        self.system, self.history, self.by_hand_below = system, history, by_hand_below
        kernel = KERNELS.get(type(system))
        by_hand = unusual(system, history) if kernel else np.ones(history.matches, bool)
        if kernel:
            by_hand |= any_of(~kernel.takes(states)[history.player], history.match_starts)
        self.plan = plan_of(history, by_hand)
        self.facts = Facts(history, self.plan)
        self.kernel: Kernel | None = kernel(system, self.facts) if kernel else None
        self.fields = kernel.fields if kernel else FIELDS
        self.rounded_at_once = DISPLAY in self.fields
        self.now = {name: getattr(states, name).take(self.plan.players) for name in {*self.fields, DISPLAY}}
        seats = len(self.plan.seats)
        self.before = {name: np.empty(seats, self.now[name].dtype) for name in self.fields}
        self.after = {name: np.zeros(seats, column.dtype) for name, column in self.now.items()}
        self.rated_by_hand = np.zeros(seats, bool)
        self.chance = np.full(len(self.plan.teams), nan)

    def rate(self) -> None:
        """All groups. Hidden numbers are rounded many at a time; after a close call, what follows is rated again."""
        groups = list(groups_of(self.facts, leavers_apart=self.kernel is not None and self.kernel.leavers_apart))
        firsts, done, shown = [group.seats.start for group in groups], 0, 0
        while done < len(groups):
            self._rate_group(groups[done])
            done += 1
            seats = slice(firsts[shown], groups[done - 1].seats.stop)
            if (
                self.kernel is None
                or self.rounded_at_once
                or (seats.stop - seats.start < CHECKED and done < len(groups))
            ):
                continue
            close = self._show(self.kernel, seats)
            if len(close):
                done = int(np.searchsorted(firsts, close[0], side="right"))
                self._go_back(slice(groups[done - 1].seats.stop, seats.stop))
                self._rate_by_hand(close[close < groups[done - 1].seats.stop])
            shown = done
        if self.kernel:
            self._tell_chances(*self.kernel.chances())

    def _rate_group(self, group: Group) -> None:
        kernel, seats = self.kernel, group.seats
        who = self.plan.number[seats]
        before = [self.now[name].take(who) for name in self.fields]
        for name, values in zip(self.fields, before, strict=True):
            self.before[name][seats] = values
        fewest = self.by_hand_below
        if fewest is None:
            fewest = kernel.fewest(*group.shape[1:]) if kernel else 0
        if kernel is None or group.by_hand or group.count < fewest:
            self._rate_by_hand(np.arange(seats.start, seats.stop))
            return
        after, close = kernel.rate(group, *before), None
        if self.rounded_at_once:
            whole, close = _rounded(after[-1], before[-1], group.shape[2])
            after = *after[:-1], whole * kernel.unit
        for name, values in zip(self.fields, after, strict=True):
            self.after[name][seats] = values
            self.now[name][who] = values
        if close is not None and close.any():
            self._rate_by_hand(np.flatnonzero(close) + seats.start)

    def _show(self, kernel: Kernel, seats: slice) -> Ints:
        """Round hidden numbers to display ratings; the seats for which that is a close call."""
        units = kernel.units(*(self.after[name][seats] for name in self.fields))
        whole, close = _rounded(units, units, int(self.facts.sizes.max()))
        by_hand, shown = self.rated_by_hand[seats], self.after[DISPLAY][seats]
        np.multiply(whole, kernel.unit, out=shown, where=~by_hand)
        self.now[DISPLAY][self.plan.number[seats]] = shown  # in order, so that a player's last one stays
        calls: Ints = np.flatnonzero(close & ~by_hand) + seats.start
        return calls

    def _go_back(self, seats: slice) -> None:
        """To the states before these seats, which are the last rated."""
        who = self.plan.number[seats][::-1]
        for name in self.fields:
            self.now[name][who] = self.before[name][seats][::-1]

    def _rate_by_hand(self, seats: Ints) -> None:
        """The matches of these seats, through the scalar face."""
        starts = self.plan.match_starts
        for match in np.unique(np.searchsorted(starts, seats, side="right") - 1).tolist():
            self._rate_match(match, slice(int(starts[match]), int(starts[match + 1])))

    def _rate_match(self, match: int, seats: slice) -> None:
        result = result_of(self.system, self.history, self.plan, match, self._states_before(seats))
        states = [self.system.to_state(skill) for team in self.system.rate(result) for skill in team]
        who = self.plan.number[seats]
        for name, column in self.after.items():
            values = [getattr(state, name) for state in states]
            column[seats] = self.now[name][who] = [nan if value is None else value for value in values]
        self.rated_by_hand[seats] = True
        chances = self.system.win_probability([team.players for team in result.teams])
        first = int(self.plan.team_starts[match])
        self.chance[first : first + len(chances)] = [nan if chance is None else chance for chance in chances]

    def _states_before(self, seats: slice) -> Iterator[State]:
        """Without the numbers that the system does without."""
        columns = [self.before[name][seats].tolist() for name in self.before]
        for values in zip(*columns, strict=True):
            given = dict(zip(self.before, values, strict=True))
            shown = given.pop(DISPLAY, 0)
            yield State(shown, **{name: None if isnan(value) else value for name, value in given.items()})

    def _tell_chances(self, first: Floats, second: Floats) -> None:
        """By match, NaN for those rated by hand."""
        known = np.flatnonzero(~np.isnan(first))
        teams = self.plan.team_starts[known]
        self.chance[teams], self.chance[teams + 1] = first[known], second[known]


def _rounded(values: Floats, before: Floats | Ints, width: int) -> tuple[Ints, Bools]:
    """Whole numbers, and which of them are a close call; 0 where a value isn't a number.

    The error of a value is below `CLOSE`, or, which counts for very large ones, below some units in the last place,
    for each player on a team, of itself or of what it was before.
    """
    with np.errstate(invalid="ignore"):  # infinities, which are close calls
        whole = np.rint(values)
        off = np.abs(values - whole)
        off += (np.abs(values) + np.abs(before)) * (EPSILON * (16 + 4 * width))
        close = ~(off < 0.5 - CLOSE)
    return np.where(close, 0, whole).astype(np.int64), close
