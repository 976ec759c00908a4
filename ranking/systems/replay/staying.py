"""Staying is always better (see shared/staying.py), for the leavers of a group: the lower display rating counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking.systems.base import S, System
from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.kernel import Kernel
from ranking.systems.batch.leavers import Leavers
from ranking.systems.replay.rounding import rounded

NOBODY: Ints = np.zeros(0, np.int64)
EXACT = 2.0**-40  # a display rating's error is far below this share of it


def settle_shown(system: System[S], kernel: Kernel, group: MatchGroup, before: Any, after: list[Any]) -> Ints:
    """Round display ratings, the last field, and keep the lower ones of leavers; return the seats of close calls.

    `before`: the last field's values; `after`: what the kernel rated, which is changed.
    """
    leavers, count = group.leavers, len(before)
    kept = leavers is not None and len(after[-1]) > count
    if leavers is not None and kept:
        before = np.concatenate([before, before.take(leavers.seat)])
    whole, close = rounded(after[-1], before, group.shape[2])
    after[-1] = whole * kernel.unit
    (calls,) = close[:count].nonzero()
    if leavers is None or not kept:
        return calls
    _keep_lower(leavers, whole[count:] < whole.take(leavers.seat), after, count)
    return np.concatenate([calls, leavers.seat[close[count:]]])


def settle_hidden(system: System[S], kernel: Kernel, group: MatchGroup, before: Any, after: list[Any]) -> Ints:
    """Keep the lower display ratings of leavers, computed from hidden fields; return the seats of close calls."""
    leavers, count = group.leavers, len(before)
    if leavers is None or len(after[-1]) == count:
        return NOBODY
    own = kernel.units(system, *[column.take(leavers.seat) for column in after])
    instead = kernel.units(system, *[column[count:] for column in after])
    lower, calls = _is_lower(own, instead, group.shape[2])
    _keep_lower(leavers, lower, after, count)
    return leavers.seat.take(calls)


def _is_lower(own: Floats, instead: Floats, width: int) -> tuple[Bools, Ints]:
    """Where `instead` is shown lower than `own`, both in units and not rounded; and where that is a close call."""
    by = own - instead
    # If they are a unit apart, the rounding doesn't matter. A NaN isn't apart.
    (unsure,) = (~(np.abs(by - 0.5) > 0.5 + np.abs(own) * EXACT)).nonzero()
    lower: Bools = by > 0
    if len(unsure):
        units = np.stack([own.take(unsure), instead.take(unsure)])
        whole, close = rounded(units, units, width)
        lower[unsure] = whole[1] < whole[0]
        unsure = unsure[close[0] | close[1]]
    return lower, unsure


def _keep_lower(leavers: Leavers, lower: Bools, after: list[Any], count: int) -> None:
    """Write the states below, of leavers whom staying would have left lower, to their seats."""
    (chosen,) = lower.nonzero()
    if len(chosen):
        seats = leavers.seat.take(chosen)
        chosen += count
        for column in after:
            column[seats] = column.take(chosen)
