"""Resets of whole populations: what a reset makes of states in columns (see shared/resets.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule, State, System
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.states import FIELDS, States, newcomers
from ranking.systems.elo.system import Elo
from ranking.systems.glicko2.system import Glicko2
from ranking.systems.margin.skill import START
from ranking.systems.margin.system import Margin
from ranking.systems.replay.rounding import rounded
from ranking.systems.shared.mean_and_deviation import DEVIATIONS
from ranking.systems.shared.resets import toward_volatility, toward_whole
from ranking.systems.trueskill.system import TrueSkill
from ranking.systems.weng_lin.system import WengLin

# Display ratings, not rounded, of a system with hidden numbers: by the system, means and deviations. All other
# systems show a whole number that is a part of the skill.
SHOWN: dict[type[System[Any]], Callable[[Any, Floats, Floats], Floats]] = {
    Elo: lambda system, mu, sigma: mu,
    Glicko2: lambda system, mu, sigma: mu,
    TrueSkill: lambda system, mu, sigma: mu - DEVIATIONS * sigma,
    WengLin: lambda system, mu, sigma: mu - DEVIATIONS * sigma,
    Margin: lambda system, mu, sigma: START + system.points * (mu - system.caution * sigma),
}


def reset_states(system: System[Any], states: States, rule: ResetRule) -> States:
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
    mu, sigma = _softened(states, newcomer, rule.factor)
    volatility = toward_volatility(newcomer.volatility or 1.0, states.volatility, rule.factor)
    counts = _softened_counts(states.skill_matches, newcomer.skill_matches or 0, rule.factor)
    return States(states.known.copy(), reset_displays(system, states, rule), mu, sigma, volatility, counts)


def reset_displays(system: System[Any], states: States, rule: ResetRule) -> Ints:
    """The display ratings after a reset, in hundredths, in the order of the states; equal to what `reset` gives."""
    if rule.keeps_states:
        return states.display_hundredths
    newcomer = system.to_state(system.newcomer())
    if rule.starts_anew:
        return np.full(len(states), newcomer.display_hundredths, np.int64)
    shown = SHOWN.get(type(system))
    if shown is None:
        return _each_once(system, states.display_hundredths, newcomer, rule)
    unit = 10 ** (2 - system.decimals)
    values = shown(system, *_softened(states, newcomer, rule.factor)) * (100 / unit)
    whole, close = rounded(values, values, 1)
    after: Ints = whole * unit
    after[close] = _close_calls(system, states.take(np.flatnonzero(close)), rule)
    return after


def _softened(states: States, newcomer: State, factor: float) -> tuple[Floats, Floats]:
    """Means and deviations after a soft reset; no deviation gives NaN."""
    mu, sigma = newcomer.mu or 0.0, newcomer.sigma or 0.0
    return mu + factor * (states.mu - mu), np.minimum(sigma, np.hypot(states.sigma, (1 - factor) * sigma))


def _softened_counts(counts: Floats, start: int, factor: float) -> Floats:
    """Whole numbers after a soft reset, each distinct one computed once; NaN stays."""
    distinct, numbers = np.unique(counts, return_inverse=True)
    after = [count if np.isnan(count) else toward_whole(start, int(count), factor) for count in distinct.tolist()]
    return np.array(after, np.float64)[numbers]


def _close_calls(system: System[Any], states: States, rule: ResetRule) -> Ints:
    """The displays after a reset of states whose rounding is close: each distinct state is reset.

    They are many if ratings are round numbers, as those that players brought along, but few of them are distinct.
    """
    numbers = np.zeros(len(states), np.int64)
    for name in FIELDS:
        _, values = np.unique(getattr(states, name).view(np.int64), return_inverse=True)  # as integers, NaN equals NaN
        _, firsts, numbers = np.unique(numbers * len(states) + values, return_index=True, return_inverse=True)
    after = [system.reset(states[index], rule).display_hundredths for index in firsts.tolist()]
    return np.array(after, np.int64)[numbers]


def _each_once(system: System[Any], displays: Ints, newcomer: State, rule: ResetRule) -> Ints:
    """The displays after a reset that depends on them alone: each distinct one, of which there are few, is reset."""
    distinct, numbers = np.unique(displays, return_inverse=True)
    after = [
        system.reset(replace(newcomer, display_hundredths=display), rule).display_hundredths
        for display in distinct.tolist()
    ]
    return np.array(after, np.int64)[numbers]
