"""What modes had learnt when each match of a plan was played, and what they learn from it (see learnt.py)."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.margin import formulas
from ranking.systems.margin.batch_observation import Modes, Outcomes, Seen, Sides, shared_last
from ranking.systems.margin.learnt import Learnt
from ranking.systems.margin.system import Margin
from ranking.systems.shared.learning import Lesson
from ranking.systems.shared.maths import ARRAYS


def modes_of(system: Margin, facts: Facts) -> Modes:
    """What the modes of a plan's matches had learnt, by match."""
    history, matches = facts.history, facts.plan.matches
    learnt = [*history.mode_states, system.learning]  # −1 is the last
    if len(learnt) == 1 and len(history.variants) == 1:
        (own,), count = learnt, len(matches)
        typical = own.typical_square(history.variants[0], system.scale) ** 0.5
        return Modes(*(np.full(count, value) for value in (own.slope, np.exp(-own.noise), typical, *_luck_of(own))))
    state = history.mode_state.take(matches) % len(learnt)
    codes, index = np.unique(state * len(history.variants) + history.variant.take(matches), return_inverse=True)
    pairs = [divmod(code, len(history.variants)) for code in codes.tolist()]
    typical = np.array(
        [learnt[own].typical_square(history.variants[variant], system.scale) ** 0.5 for own, variant in pairs]
    )
    slope, noise = (np.array([getattr(own, name) for own in learnt]) for name in ("slope", "noise"))
    luck = np.array([_luck_of(own) for own in learnt])[state]
    typical = typical[index.reshape(-1)] if len(matches) else np.zeros(0)
    return Modes(slope[state], np.exp(-noise)[state], typical, luck[:, 0], luck[:, 1])


def _luck_of(learnt: Learnt) -> tuple[float, float]:
    return (0.0, 0.0) if learnt.luck is None else (learnt.luck.share, learnt.luck.of_pairs)


def lessons_of(whole: Sides, outcomes: Outcomes, seen: Seen) -> Floats:
    """By match: the numbers of its Lesson; NaN for None."""
    slope = outcomes.modes.slope[:, None]
    total = whole.variance + whole.noise
    count = whole.mean.shape[1]
    first, second = np.triu_indices(count, 1)
    ahead = whole.mean.take(first, axis=1) - whole.mean.take(second, axis=1)
    z = formulas.lead(ahead, total.take(first, axis=1) + total.take(second, axis=1), ARRAYS)
    decided, scored = seen.g != 0, seen.scored
    number = decided.sum(axis=1)

    def mean(values: Floats) -> Floats:
        own: Floats = np.where(decided, values, 0.0).sum(axis=1) / np.maximum(number, 1)
        return own

    tells_luck = outcomes.luck & ~scored & (number > 0)
    last, shared = shared_last(outcomes.places)
    by_luck = (tells_luck & shared)[:, None] & (last.take(first, axis=1) | last.take(second, axis=1))
    luck = np.where(by_luck, outcomes.modes.luck[:, None], 0.0)
    weight = np.where(tells_luck, count / 2, 1.0)
    ed, dd = formulas.noise_lesson(seen.y, seen.d, seen.f)
    table = np.full((len(z), len(Lesson._fields) - 1), np.nan)
    table[:, 0] = np.where(scored, (seen.x * seen.x).mean(axis=1), np.nan)
    table[:, 1] = np.where(scored, ed.mean(axis=1), 0.0)
    table[:, 2] = np.where(scored, dd.mean(axis=1), 0.0)
    gradient, information = formulas.slope_lesson(z, slope, seen.g > 0, luck, ARRAYS)
    table[:, 3], table[:, 4] = weight * mean(gradient), weight * mean(information)
    if tells_luck.any():
        gradient, information = formulas.luck_lesson(z, slope, seen.g > 0, luck, ARRAYS)
        columns = weight * mean(gradient * by_luck), weight * mean(information * by_luck), mean(by_luck)
        table[tells_luck, 5:] = np.column_stack(columns)[tells_luck]
    return table
