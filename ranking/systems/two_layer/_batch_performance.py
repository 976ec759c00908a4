"""Two-layer's performance on columns (see performance.py): how far each player's stats would move their change."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints, starts_of
from ranking.systems.batch.facts import Facts
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer._performance import ALL_ALIKE, TO_DEVIATIONS
from ranking.systems.two_layer.params import LOGARITHMIC
from ranking.systems.two_layer.system import TwoLayer


def tilts_of(system: TwoLayer, facts: Facts) -> Floats | None:
    """By seat: the share of a change that would move to the player, from −12 % to 12 %; None if nobody has stats.

    Players who stayed, were there for a quarter of the match and have stats are judged, if a team has at least two of
    them. NaN if stats are too large to add up.
    """
    if not facts.history.has_stats.any():
        return None
    team = np.repeat(np.arange(len(facts.sizes)), facts.sizes)
    judged = facts.history.has_stats.take(facts.plan.seats) & facts.judged
    judged &= (np.bincount(team[judged], minlength=len(facts.sizes)) > 1)[team]
    seats = np.flatnonzero(judged)
    tilts = np.zeros(len(team))
    if not len(seats):
        return tilts
    impacts = _impacts(system, facts)[seats]
    # The judged players of a team follow each other.
    counts = np.bincount(team[seats], minlength=len(facts.sizes))
    number, counts = np.repeat(np.arange((counts > 0).sum()), counts[counts > 0]), counts[counts > 0]
    off = impacts - _medians(impacts, number, counts)[number]
    spread = _medians(np.abs(off), number, counts)[number]
    deviations = np.divide(TO_DEVIATIONS * off, spread, out=np.zeros(len(off)), where=~(spread < ALL_ALIKE))
    tilts[seats] = formulas.tilt(system, deviations, ARRAYS)
    return tilts


def worst_of(facts: Facts) -> Bools:
    """By leaver: True if a team-mate's stats are judged, the worst of which the leaver might have had."""
    if facts.leavers is None:
        return np.zeros(0, bool)
    judged = facts.history.has_stats[facts.plan.seats] & facts.judged
    by_team: Bools = np.logical_or.reduceat(judged, facts.plan.starts[:-1])
    return by_team[facts.leavers.side]


def _impacts(system: TwoLayer, facts: Facts) -> Floats:
    """By seat: the player's impact per round; NaN if it is too large to add up."""
    seats, points = facts.plan.seats, np.zeros(len(facts.plan.seats))
    with np.errstate(over="ignore", invalid="ignore"):
        for name, weight in system.impact_weights.items():
            if name in facts.history.stats:
                reported = facts.history.stats[name].take(seats)
                stat = np.where(np.isnan(reported), 0.0, reported)
                points += weight * (np.log1p(np.maximum(0.0, stat)) if name == LOGARITHMIC else stat)
        own = facts.history.rounds_played.take(seats).astype(np.float64)
        all_rounds = facts.plan.by_seat(facts.history.rounds.take(facts.plan.matches).astype(np.float64))
        if facts.presence is not None:
            all_rounds *= facts.presence
        impacts = points / np.where(own > 0, own, np.where(all_rounds > 0, all_rounds, 1.0))
    return np.where(np.isfinite(impacts), impacts, np.nan)


def _medians(values: Floats, number: Ints, counts: Ints) -> Floats:
    """The median of each run of values."""
    ordered, starts = values[np.lexsort((values, number))], starts_of(counts)[:-1]
    medians: Floats = (ordered[starts + (counts - 1) // 2] + ordered[starts + counts // 2]) / 2
    return medians
