"""Resets of whole populations: what a reset makes of states in columns (see shared/resets.py)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ranking.systems.base import ResetRule, S, State, System
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.states import DISPLAY, FIELDS, HIDDEN, States, newcomers
from ranking.systems.registry import KERNELS
from ranking.systems.replay.rounding import rounded
from ranking.systems.shared.resets import toward, toward_volatility, toward_whole


def reset_states(system: System[S], states: States, rule: ResetRule) -> States:
    """The states after a reset, in their order: display ratings and counts equal to what `reset` gives, and hidden
    numbers to within rounding.
    """
    if rule.keeps_states:
        return states.copy()
    newcomer = system.to_state(system.newcomer())
    if rule.starts_anew:
        after = newcomers(len(states))
        after.put(np.arange(len(states)), newcomer)
        return after
    hidden = [_softened(name, states, newcomer, rule.factor) for name in HIDDEN]
    return States(states.known.copy(), reset_displays(system, states, rule), *hidden)


def reset_displays(system: System[S], states: States, rule: ResetRule) -> Ints:
    """The display ratings after a reset, in hundredths, in the order of the states; equal to what `reset` gives."""
    if rule.keeps_states:
        return states.display_hundredths
    newcomer = system.to_state(system.newcomer())
    if rule.starts_anew:
        return np.full(len(states), newcomer.display_hundredths, np.int64)
    kernel = KERNELS.get(type(system))
    if kernel is None:
        return _each_distinct(system, states, rule)
    if DISPLAY in kernel.fields:
        return _each_once(system, states.display_hundredths, newcomer, rule)
    values = kernel.units(system, *[_softened(name, states, newcomer, rule.factor) for name in kernel.fields])
    whole, close = rounded(values, values, 1)
    after: Ints = whole * kernel.unit
    after[close] = _each_distinct(system, states.take(np.flatnonzero(close)), rule)
    return after


def _softened(name: str, states: States, newcomer: State, factor: float) -> Floats:
    """A hidden number of all states after a soft reset; NaN stays."""
    before: Floats = getattr(states, name)
    start = getattr(newcomer, name)
    if start is None:  # the system has no such number
        return before.copy()
    if name == "mu":
        return toward(start, before, factor)
    if name == "sigma":
        deviations: Floats = np.minimum(start, np.hypot(before, (1 - factor) * start))
        return deviations
    return toward_volatility(start, before, factor) if name == "volatility" else _softened_counts(before, start, factor)


def _softened_counts(counts: Floats, start: int, factor: float) -> Floats:
    """Whole numbers after a soft reset, each distinct one computed once; NaN stays."""
    distinct, numbers = np.unique(counts, return_inverse=True)
    after = [count if np.isnan(count) else toward_whole(start, int(count), factor) for count in distinct.tolist()]
    return np.array(after, np.float64)[numbers]


def _each_distinct(system: System[S], states: States, rule: ResetRule) -> Ints:
    """The displays after a reset, each distinct state reset by itself, as states are whose rounding is close.

    They are many if ratings are round numbers, as those that players brought along, but few of them are distinct.
    """
    numbers = np.zeros(len(states), np.int64)
    for name in FIELDS:
        _, values = np.unique(getattr(states, name).view(np.int64), return_inverse=True)  # as integers, NaN equals NaN
        _, firsts, numbers = np.unique(numbers * len(states) + values, return_index=True, return_inverse=True)
    after = [system.reset(states[index], rule).display_hundredths for index in firsts.tolist()]
    return np.array(after, np.int64)[numbers]


def _each_once(system: System[S], displays: Ints, newcomer: State, rule: ResetRule) -> Ints:
    """The displays after a reset that depends on them alone: each distinct one, of which there are few, is reset."""
    distinct, numbers = np.unique(displays, return_inverse=True)
    after = [
        system.reset(replace(newcomer, display_hundredths=display), rule).display_hundredths
        for display in distinct.tolist()
    ]
    return np.array(after, np.int64)[numbers]
