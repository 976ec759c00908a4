"""What a match says about its teams: the margin of each pair, and how far each team is from where the others put it.

A pair's margin is measured in typical margins. Where a match has scores it is √-scaled, so that 1:0, 50:0 and
50,000:48,000 are comparable; where it hasn't, it is the mean of a margin of which only the sign is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atanh, fsum, sqrt, tanh
from typing import NamedTuple

from ranking.systems.shared.gaussian import Phi, above, phi
from ranking.systems.shared.learning import Lesson

CLIP = 1e-6  # of a chance that the slope is learnt from
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
        Pull(pull.w, _one_way(pull.r, place, first, last) if one_way else pull.r, pull.u * share)
        for pull, place, share in zip(pulls, outcome.places, information, strict=True)
    ]


def contrast(seen: Sequence[float], sides: Sequence[Side]) -> list[Pull]:
    """Compare what was seen of each side with its mean, relative to all; the common level says nothing."""
    weights = [1 / (side.variance + side.noise) for side in sides]
    total = fsum(weights)
    away = [z - side.mean for z, side in zip(seen, sides, strict=True)]
    level = fsum(w * a for w, a in zip(weights, away, strict=True)) / total
    return [Pull(w, a - level, 1 - w / total) for w, a in zip(weights, away, strict=True)]


def _unscored(side: Side, slope: float) -> Side:
    return side._replace(noise=side.noise / (slope * slope))


def _one_way(r: float, place: int, first: int, last: int) -> float:
    return max(0.0, r) if place == first else min(0.0, r) if place == last else r


def _observe(sides: Sequence[Side], outcome: Outcome, i: int, j: int) -> _Pair:
    one, other = sides[i], sides[j]
    sign = (outcome.places[j] > outcome.places[i]) - (outcome.places[j] < outcome.places[i])  # g
    d, f = one.mean - other.mean, sqrt((one.size + other.size) / 2)
    if outcome.scores is None:
        if not sign:
            return _Pair(0.0, 0.0, d, f, 1.0)
        c = sqrt(one.variance + other.variance + one.noise + other.noise)
        v, information, _ = above(sign * d / c)
        return _Pair(0.0, d + sign * c * v, d, f, information)
    x = margin_of(outcome.scores[i], outcome.scores[j])
    x = x if x * sign > 0 else 0.0
    y = f * tanh(outcome.squash * x / outcome.typical) / outcome.squash
    if sign and (x == 0 or outcome.win_never_costs) and (y - d) * sign < 0:
        y = d
    return _Pair(x, y, d, f, 1.0)


def margin_of(score: float, other: float) -> float:
    """A lead in standard deviations of chance."""
    return 0.0 if score == other else (score - other) / sqrt(abs(score) + abs(other))


def expected_win(one: Side, other: Side, squash: float, typical: float) -> float:
    """By how much a side wins on average if it wins: a lead in standard deviations of chance, above 0."""
    d, f = one.mean - other.mean, sqrt((one.size + other.size) / 2)
    c = sqrt(one.variance + other.variance + one.noise + other.noise)
    v, _, _ = above(d / c)
    return lead_in_points(d + c * v, f, squash, typical)


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
        noise.append((pair.y - pair.d) * pair.d / (pair.f * pair.f))
        spread.append(pair.d * pair.d / (pair.f * pair.f))
    decided = [(i, j) for i, j in pairs if outcome.places[i] != outcome.places[j]]
    slopes = [
        _slope_lesson(whole[i], whole[j], outcome.places[i] < outcome.places[j], outcome.slope) for i, j in decided
    ]
    return Lesson(
        variant, None if outcome.scores is None else _mean(squares), _mean(noise), _mean(spread),
        _mean([gradient for gradient, _ in slopes]), _mean([information for _, information in slopes]),
    )  # fmt: skip


def _slope_lesson(one: Side, other: Side, won: bool, slope: float) -> tuple[float, float]:
    """Gradient and information of the slope from one pair: a probit regression of winning on the lead."""
    z = lead_of(one, other)
    q = min(1 - CLIP, max(CLIP, Phi(slope * z)))
    h = phi(slope * z)
    return (z * h / q if won else -z * h / (1 - q)), z * z * h * h / (q * (1 - q))


def lead_of(one: Side, other: Side) -> float:
    """How far a side is ahead, in standard deviations of the difference between the two."""
    return (one.mean - other.mean) / sqrt(one.variance + other.variance + one.noise + other.noise)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0
