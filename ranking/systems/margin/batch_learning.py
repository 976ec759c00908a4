"""What modes had learnt when each match of a plan was played, and what they learn from it (see learnt.py)."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.margin import formulas
from ranking.systems.margin.batch_observation import Modes, Outcomes, Seen, Sides
from ranking.systems.margin.system import Margin
from ranking.systems.shared.maths import ARRAYS


def modes_of(system: Margin, facts: Facts) -> Modes:
    """What the modes of a plan's matches had learnt, by match."""
    history, matches = facts.history, facts.plan.matches
    learnt = [*history.mode_states, system.learning]  # −1 is the last
    if len(learnt) == 1 and len(history.variants) == 1:
        (own,), count = learnt, len(matches)
        typical = own.typical_square(history.variants[0], system.scale) ** 0.5
        return Modes(*(np.full(count, value) for value in (own.slope, np.exp(-own.noise), typical)))
    state = history.mode_state.take(matches) % len(learnt)
    codes, index = np.unique(state * len(history.variants) + history.variant.take(matches), return_inverse=True)
    pairs = [divmod(code, len(history.variants)) for code in codes.tolist()]
    typical = np.array(
        [learnt[own].typical_square(history.variants[variant], system.scale) ** 0.5 for own, variant in pairs]
    )
    slope, noise = (np.array([getattr(own, name) for own in learnt]) for name in ("slope", "noise"))
    return Modes(slope[state], np.exp(-noise)[state], typical[index.reshape(-1)] if len(matches) else np.zeros(0))


def lessons_of(whole: Sides, outcomes: Outcomes, seen: Seen) -> Floats:
    """By match: the numbers of its Lesson; NaN for the squares of a match without scores."""
    slope = outcomes.modes.slope[:, None]
    total = whole.variance + whole.noise
    count = whole.mean.shape[1]
    first, second = np.triu_indices(count, 1)
    ahead = whole.mean.take(first, axis=1) - whole.mean.take(second, axis=1)
    z = formulas.lead(ahead, total.take(first, axis=1) + total.take(second, axis=1), ARRAYS)
    gradient, information = formulas.slope_lesson(z, slope, seen.g > 0, ARRAYS)
    decided = seen.g != 0
    gradient, information = np.where(decided, gradient, 0.0), np.where(decided, information, 0.0)
    number = np.maximum(decided.sum(axis=1), 1)
    scored = seen.scored
    ed, dd = formulas.noise_lesson(seen.y, seen.d, seen.f)
    table = np.empty((len(z), 5))
    table[:, 0] = np.where(scored, (seen.x * seen.x).mean(axis=1), np.nan)
    table[:, 1] = np.where(scored, ed.mean(axis=1), 0.0)
    table[:, 2] = np.where(scored, dd.mean(axis=1), 0.0)
    table[:, 3] = gradient.sum(axis=1) / number
    table[:, 4] = information.sum(axis=1) / number
    return table
