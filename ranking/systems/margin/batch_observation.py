"""What matches say about their teams, on tables of matches × teams (see observation.py)."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Floats, Ints
from ranking.systems.margin import formulas
from ranking.systems.margin.system import Margin
from ranking.systems.shared.formulas import outcome_of
from ranking.systems.shared.maths import ARRAYS


class Modes(NamedTuple):
    """By match: the learnt slope, what noise is multiplied by (e^−L), and the typical margin of the variant; how much
    of a shared last place is luck, and how much of the order of a pair (see learnt.py).
    """

    slope: Floats
    calm: Floats
    typical: Floats
    luck: Floats
    luck_of_pairs: Floats

    def of(self, matches: slice) -> Modes:
        return Modes(*(column[matches] for column in self))

    def take(self, rows: Ints) -> Modes:
        return Modes(*(column.take(rows) for column in self))


class Sides(NamedTuple):
    """Teams before the match: mean, variance, size, noise."""

    mean: Floats
    variance: Floats
    size: Floats
    noise: Floats


class Pulls(NamedTuple):
    w: Floats
    r: Floats
    u: Floats


class Outcomes(NamedTuple):
    """How matches ended: places and scores (NaN if missing) by match and team, and what their modes had learnt.

    `luck`: luck may be in them.
    """

    places: Floats
    scores: Floats
    modes: Modes
    luck: bool = False


class PairTable(NamedTuple):
    """The pairs of the teams of a match; `sign` by pair and team: 1 for the first team, −1 for the second."""

    first: Ints
    second: Ints
    sign: Floats


class Seen(NamedTuple):
    """What was observed of each pair, from the first team's view, by match and pair; x, y, f only of scored matches."""

    x: Floats
    y: Floats
    d: Floats
    f: Floats
    g: Floats
    scored: Bools  # by match


@cache
def pairs_of(teams: int) -> PairTable:
    first, second = np.triu_indices(teams, 1)
    sign = np.zeros((len(first), teams))
    numbers = np.arange(len(first))
    sign[numbers, first], sign[numbers, second] = 1.0, -1.0
    return PairTable(first, second, sign)


def pulls_of(system: Margin, sides: Sides, outcomes: Outcomes) -> tuple[Pulls, Seen]:
    """What the matches say to each side, and what was seen of each pair."""
    mean, variance, size, noise = sides
    count = mean.shape[1]
    pairs = pairs_of(count)
    scored: Bools = ~np.logical_or.reduce(np.isnan(outcomes.scores), axis=1)
    all_scored = bool(scored.all())
    slope = outcomes.modes.slope
    if not all_scored:
        noise = np.where(scored[:, None], noise, formulas.noise_of_winners(noise, slope[:, None]))
    d = mean.take(pairs.first, axis=1) - mean.take(pairs.second, axis=1)
    own, other = outcomes.places.take(pairs.first, axis=1), outcomes.places.take(pairs.second, axis=1)
    g = outcome_of(own, other)
    f = formulas.pair_size(size.take(pairs.first, axis=1), size.take(pairs.second, axis=1), ARRAYS)
    scores = outcomes.scores if all_scored else np.where(scored[:, None], outcomes.scores, 0.0)
    x, y = _by_scores(system, pairs, outcomes, scores, (d, f, g)) if scored.any() else (np.zeros_like(d),) * 2
    information = np.ones_like(d)
    if not all_scored:
        y, information = _by_winners(scored, y, information, d, g, variance + noise, pairs)
    if outcomes.luck and not scored.all():
        tells = _tells(outcomes, scored)
        pair = np.minimum(tells.take(pairs.first, axis=1), tells.take(pairs.second, axis=1))
        y, information = formulas.told(y, d, pair), pair * information
    z = y.dot(pairs.sign) / count
    w = formulas.sureness(variance, noise)
    weight = w.sum(axis=1)[:, None]
    away = z - mean
    r = away - (w * away).sum(axis=1)[:, None] / weight
    u = formulas.share_of_others(w, weight)
    if not all_scored:
        u *= information.dot(np.abs(pairs.sign)) / (count - 1)
    if count > 2:
        _one_way(outcomes.places, scored, system.win_never_costs, r)
    return Pulls(w, r, u), Seen(x, y, d, f, g, scored)


def _by_scores(
    system: Margin, pairs: PairTable, outcomes: Outcomes, scores: Floats, expected: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """x and y; `scores`: 0 where matches have none, `expected`: d, f and g."""
    (d, f, g), own, other = expected, scores.take(pairs.first, axis=1), scores.take(pairs.second, axis=1)
    margin = formulas.margin_of(own, other, ARRAYS)
    seen: tuple[Floats, Floats] = formulas.margin_seen(
        margin, f, d, g, outcomes.modes.typical[:, None], system.squash, system.win_never_costs, ARRAYS
    )
    return seen


def _by_winners(
    scored: Bools, y: Floats, information: Floats, d: Floats, g: Floats, total: Floats, pairs: PairTable
) -> tuple[Floats, Floats]:
    """The mean margin of which only the sign is known, where matches have no scores."""
    both = total.take(pairs.first, axis=1) + total.take(pairs.second, axis=1)
    mean, share = formulas.winner_seen(d, g, both, ARRAYS)
    decided, blind = g != 0, ~scored[:, None]
    return (
        np.where(blind, np.where(decided, mean, 0.0), y),
        np.where(blind & decided, share, information),
    )


def shared_last(places: Floats) -> tuple[Bools, Bools]:
    """By match and team: does it come last, and not all with it? By match: do several share the last place so?"""
    last = (places == places.max(axis=1)[:, None]) & (places.min(axis=1) < places.max(axis=1))[:, None]
    return last, last.sum(axis=1) > 1


def _tells(outcomes: Outcomes, scored: Bools) -> Floats:
    """By match and team: how much of its place isn't luck."""
    modes, (last, shared) = outcomes.modes, shared_last(outcomes.places)
    alone = formulas.luck_of_last(modes.luck_of_pairs, outcomes.places.shape[1])
    by_luck = np.where(scored, 0.0, np.where(shared, modes.luck, alone))
    return np.where(last, 1 - by_luck[:, None], 1.0)


def _one_way(places: Floats, scored: Bools, win_never_costs: bool, r: Floats) -> None:
    first, last = places.min(axis=1)[:, None], places.max(axis=1)[:, None]
    bound = (first < last) & (win_never_costs | ~scored[:, None])
    r[:] = np.where(bound, formulas.one_way(r, places, first, last, ARRAYS), r)
