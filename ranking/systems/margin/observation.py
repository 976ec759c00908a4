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

    `typical` is s, a variant's root mean square margin; `squash` bounds a margin; `slope` is b.
    """

    places: Sequence[int]
    scores: Sequence[float] | None
    typical: float
    squash: float
    slope: float
    win_never_costs: bool


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
    decided = [(i, j) for i, j in pairs if outcome.places[i] != outcome.places[j]]
    slopes = [
        formulas.slope_lesson(lead_of(whole[i], whole[j]), outcome.slope, outcome.places[i] < outcome.places[j], FLOATS)
        for i, j in decided
    ]
    return Lesson(
        variant, None if outcome.scores is None else _mean(squares), _mean(noise), _mean(spread),
        _mean([gradient for gradient, _ in slopes]), _mean([information for _, information in slopes]),
    )  # fmt: skip


def lead_of(one: Side, other: Side) -> float:
    """How far a side is ahead, in standard deviations of the difference between the two."""
    lead: float = formulas.lead(one.mean - other.mean, _total(one, other), FLOATS)
    return lead


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0
