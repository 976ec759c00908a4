"""Staying is always better (see shared/staying.py), for the leavers of a group: the lower display rating counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ranking.systems.batch.cases import NOBODY, Cases
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.kernel import Kernel
from ranking.systems.replay.rounding import rounded

EXACT = 2.0**40  # units up to which a display rating's error is far below one unit
FAR = 2.0  # units between two display ratings whose rounding can't matter for which is lower


class Shown(NamedTuple):
    """Display ratings: in units, as whole numbers, and which of these are close calls (see rounding.py)."""

    units: Floats
    whole: Ints
    close: Bools

    def at(self, seats: Ints | slice) -> Shown:
        return Shown(self.units[seats], self.whole[seats], self.close[seats])


def settle_shown(kernel: Kernel, group: MatchGroup, before: Any, after: list[Any]) -> Ints:
    """Round display ratings, the last field, and keep the lower ones of leavers; return the seats of close calls.

    `before`: the last field's values; `after`: all fields by seat and then by case, which are changed.
    """
    cases, count = group.cases, len(before)
    if cases is not None:
        before = np.concatenate([before, before.take(cases.seat)])
    shown, calls = Shown(after[-1], *rounded(after[-1], before, group.shape[2])), NOBODY
    if cases is not None:
        changed = [*after[:-1], shown.whole, shown.close]
        calls = keep_lower(cases, changed, shown.at(cases.seat), shown.at(slice(count, None)))
    after[-1] = shown.whole * kernel.unit
    close = np.flatnonzero(shown.close[:count])
    return np.concatenate([calls, close]) if len(calls) else close


def settle_hidden(kernel: Kernel, group: MatchGroup, before: Any, after: list[Any]) -> Ints:
    """Keep the lower display ratings of leavers, computed from hidden fields; return the seats of close calls."""
    cases = group.cases
    if cases is None:
        return NOBODY
    both = np.concatenate([cases.seat, np.arange(len(before), len(after[-1]))])
    units = kernel.units(*[column.take(both) for column in after])
    shown = Shown(units, *rounded(units, units, group.shape[2]))
    return keep_lower(cases, after, shown.at(slice(len(cases))), shown.at(slice(len(cases), None)))


def keep_lower(cases: Cases, rated: Sequence[Any], own: Shown, instead: Shown) -> Ints:
    """Put leavers who would have ended lower by staying into that state; returns the seats of close calls.

    `rated`: columns by seat and then by case; `own` and `instead`: the leavers' display ratings by case, by the rule
    for leavers and by staying.
    """
    lower, close = instead.whole < own.whole, own.close | instead.close
    if close.any():
        with np.errstate(invalid="ignore"):  # infinities and NaN, which aren't far
            far = (np.abs(own.units - instead.units) > FAR) & (np.abs(own.units) + np.abs(instead.units) < EXACT)
            lower = np.where(close, instead.units < own.units, lower)
        close &= ~far
    chosen = np.flatnonzero(lower)
    if len(chosen):
        seats = cases.seat.take(chosen)
        for column in rated:
            column[seats] = column.take(chosen + (len(column) - len(cases)))
    return cases.seat[close]
