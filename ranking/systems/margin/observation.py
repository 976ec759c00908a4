"""What a match says about its teams: the margin of each pair, and how far each team is from where the others put it.

A pair's margin is measured in typical margins. Where a match has scores it is √-scaled, so that 1:0, 50:0 and
50,000:48,000 are comparable; where it hasn't, it is the mean of a margin of which only the sign is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atanh, fsum
from typing import NamedTuple

from ranking.systems.margin import formulas
from ranking.systems.shared.formulas import outcome_of
from ranking.systems.shared.learning import Lesson
from ranking.systems.shared.maths import FLOATS

SUREST = 0.999  # of the arguments of atanh


class Side(NamedTuple):
    """A team before the match: mean M and variance V of its skill, players counted by weight n, noise R."""

    mean: float
    variance: float
    size: float
    noise: float


class Pull(NamedTuple):
    """What a match says to a side: weight w, distance r of what was seen from what was expected, information u."""

    w: float
    r: float
    u: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended: places; the scores, or None if it isn't scored; and how a margin is measured.

    `typical` is s, a variant's root mean square margin; `squash` bounds a margin; `slope` is b. `luck`: how much of a
    shared last place is luck, None if the match says nothing of it; `tells`: by side, how much of its place isn't luck,
    None if none is.
    """

    places: Sequence[int]
    scores: Sequence[float] | None
    typical: float
    squash: float
    slope: float
    win_never_costs: bool
    luck: float | None = None
    tells: Sequence[float] | None = None


class _Pair(NamedTuple):
    """The observation of a pair of sides, from the first one's view."""

    x: float  # the margin in standard deviations of chance
    y: float  # the margin in typical ones
    d: float  # the expected margin
    f: float
    information: float  # ω


def pulls_of(sides: Sequence[Side], outcome: Outcome) -> list[Pull]:
    """What the match says to each side."""
    if outcome.scores is None:
        sides = [_unscored(side, outcome.slope) for side in sides]
    count = len(sides)
    seen, information = [0.0] * count, [0.0] * count
    for i, j in combinations(range(count), 2):
        pair = _observe(sides, outcome, i, j)
        if outcome.tells is not None:
            tells = min(outcome.tells[i], outcome.tells[j])
            pair = pair._replace(y=formulas.told(pair.y, pair.d, tells), information=tells * pair.information)
        seen[i] += pair.y / count
        seen[j] -= pair.y / count
        information[i] += pair.information / (count - 1)
        information[j] += pair.information / (count - 1)
    pulls = contrast(seen, sides)
    first, last = min(outcome.places), max(outcome.places)
    one_way = count > 2 and first < last and (outcome.scores is None or outcome.win_never_costs)
    return [
        Pull(pull.w, formulas.one_way(pull.r, place, first, last, FLOATS) if one_way else pull.r, pull.u * share)
        for pull, place, share in zip(pulls, outcome.places, information, strict=True)
    ]


def contrast(seen: Sequence[float], sides: Sequence[Side]) -> list[Pull]:
    """Compare what was seen of each side with its mean, relative to all; the common level says nothing."""
    weights = [formulas.sureness(side.variance, side.noise) for side in sides]
    total = fsum(weights)
    away = [z - side.mean for z, side in zip(seen, sides, strict=True)]
    level = fsum(w * a for w, a in zip(weights, away, strict=True)) / total
    return [Pull(w, a - level, formulas.share_of_others(w, total)) for w, a in zip(weights, away, strict=True)]


def _unscored(side: Side, slope: float) -> Side:
    return side._replace(noise=formulas.noise_of_winners(side.noise, slope))


def _observe(sides: Sequence[Side], outcome: Outcome, i: int, j: int) -> _Pair:
    one, other = sides[i], sides[j]
    g = outcome_of(outcome.places[i], outcome.places[j])
    d, f = one.mean - other.mean, formulas.pair_size(one.size, other.size, FLOATS)
    if outcome.scores is None:
        y, information = formulas.winner_seen(d, g, _total(one, other), FLOATS) if g else (0.0, 1.0)
        return _Pair(0.0, y, d, f, information)
    margin = formulas.margin_of(outcome.scores[i], outcome.scores[j], FLOATS)
    x, y = formulas.margin_seen(margin, f, d, g, outcome.typical, outcome.squash, outcome.win_never_costs, FLOATS)
    return _Pair(x, y, d, f, 1.0)


def _total(one: Side, other: Side) -> float:
    return one.variance + other.variance + one.noise + other.noise


def lead_in_points(margin: float, f: float, squash: float, typical: float) -> float:
    """The lead in standard deviations of chance that counts as this margin; the inverse of how margins are squashed."""
    return typical * atanh(max(-SUREST, min(SUREST, squash * margin / f))) / squash


def lesson_of(sides: Sequence[Side], whole: Sequence[Side], outcome: Outcome, variant: str) -> Lesson:
    """What the mode learns from a match; `whole`: the sides as if everybody had played to the end."""
    pairs = list(combinations(range(len(sides)), 2))
    squares, noise, spread = [], [], []
    for i, j in pairs if outcome.scores is not None else ():
        pair = _observe(sides, outcome, i, j)
        squares.append(pair.x * pair.x)
        ed, dd = formulas.noise_lesson(pair.y, pair.d, pair.f)
        noise.append(ed)
        spread.append(dd)
    places, luck = outcome.places, outcome.luck or 0.0
    decided = [(i, j) for i, j in pairs if places[i] != places[j]]
    seen = [(lead_of(whole[i], whole[j]), outcome.slope, places[i] < places[j]) for i, j in decided]
    shared = outcome.luck is not None and shares_last(places)
    by_luck = [shared and max(places[i], places[j]) == max(places) for i, j in decided]
    slopes = [
        formulas.slope_lesson(*pair, luck if lucky else 0.0, FLOATS) for pair, lucky in zip(seen, by_luck, strict=True)
    ]
    gradient, information = (_mean([column[index] for column in slopes]) for index in range(2))
    square = None if outcome.scores is None else _mean(squares)
    lesson = Lesson(variant, square, _mean(noise), _mean(spread), gradient, information)
    if outcome.luck is None or not decided:
        return lesson
    lucks = [formulas.luck_lesson(*pair, luck, FLOATS) for pair, lucky in zip(seen, by_luck, strict=True) if lucky]
    weight = len(sides) / 2
    return lesson._replace(
        slope=weight * gradient,
        information=weight * information,
        luck=weight * fsum(gradient for gradient, _ in lucks) / len(decided),
        luck_information=weight * fsum(information for _, information in lucks) / len(decided),
        shared=len(lucks) / len(decided),
    )


def shares_last(places: Sequence[int]) -> bool:
    """Do several sides share the last place, and not all?"""
    return 2 <= places.count(max(places)) < len(places)


def tells_of(places: Sequence[int], luck: float, luck_of_pairs: float) -> list[float]:
    """By side: how much of its place isn't luck. `luck`: how much of a shared last place is."""
    last = max(places)
    if min(places) == last:
        return [1.0] * len(places)
    by_luck = luck if shares_last(places) else formulas.luck_of_last(luck_of_pairs, len(places))
    return [1 - by_luck if place == last else 1.0 for place in places]


def lead_of(one: Side, other: Side) -> float:
    """How far a side is ahead, in standard deviations of the difference between the two."""
    lead: float = formulas.lead(one.mean - other.mean, _total(one, other), FLOATS)
    return lead


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0
