"""The formulas of margin (see system.py), for a match by floats and for a history by arrays.

What sums over the players of a team or the teams of a match is laid out by the callers; learnt.py folds blocks.
"""

from __future__ import annotations

from typing import Any

from ranking.systems.shared.formulas import chance_with_luck, drifted
from ranking.systems.shared.gaussian import SQRT_2PI
from ranking.systems.shared.maths import Maths, Numbers

LEAST_WEIGHT = 0.05  # of a leaver
LEAST_VARIANCE = 1e-6  # of a skill
LEAST_POINTS = 1e-300  # of both scores: no margin is divided by nothing
CLIP = 1e-6  # of a chance that the slope is learnt from


def weight(share: Numbers, m: Maths) -> Numbers:
    """n of a leaver; `share`: of the match that they were present for."""
    return m.maximum(share, LEAST_WEIGHT)


def mates(count: Numbers, m: Maths) -> Numbers:
    """The members of a party beyond the first; `count`: of members in the team, by their shares."""
    return m.maximum(count - 1, 0.0)


def aged(idle_days: Numbers, tau_day: float, m: Maths) -> Numbers:
    """By how much a variance grows in idle days; a clock that went back counts as no time."""
    return tau_day * tau_day * m.maximum(idle_days, 0.0)


def aged_variance(
    variance: Numbers, matches: Numbers, aged: Numbers, tau: float, newcomers: float, m: Maths
) -> Numbers:
    """s²: the variance before the match. Time makes nobody less certain than a newcomer, whose deviation is given."""
    most = m.where(matches == 0, variance, m.minimum(drifted(variance, tau) + aged, newcomers * newcomers))
    return m.maximum(most, variance)


def noise(size: Numbers, beta: float, calm: Numbers) -> Numbers:
    """R of a team; `calm`: e^−L of what the mode has learnt."""
    return size * (beta * beta) * calm


def noise_of_winners(noise: Numbers, slope: Numbers) -> Numbers:
    """R if only the winner is known."""
    return noise / (slope * slope)


def lead(ahead: Numbers, total: Numbers, m: Maths) -> Numbers:
    """How far a team is ahead in standard deviations; `total`: ΣV + ΣR of both teams."""
    return ahead / m.sqrt(total)


def pair_size(size: Numbers, other: Numbers, m: Maths) -> Numbers:
    """f, by which the margin of larger teams is larger."""
    return m.sqrt((size + other) / 2)


def margin_of(score: Numbers, other: Numbers, m: Maths) -> Numbers:
    """A lead in standard deviations of chance."""
    return (score - other) / m.sqrt(m.maximum(abs(score) + abs(other), LEAST_POINTS))


def margin_seen(
    margin: Numbers, f: Numbers, d: Numbers, g: Numbers, typical: Numbers, squash: float, never_costs: bool, m: Maths
) -> tuple[Numbers, Numbers]:
    """x and y of a pair with scores: the margin by chance, and in typical margins.

    `d`: the expected margin, `g`: 1 if the first team won by place, −1 if it lost. A margin against the places doesn't
    count; a win that was lower than expected counts as expected, if no win is to cost.
    """
    x = m.where(margin * g > 0, margin, 0.0)
    y = f * m.tanh(squash * x / typical) / squash
    costs = (y - d) * g < 0
    if not never_costs:
        costs = costs & (x == 0)
    return x, m.where(costs, d, y)


def winner_seen(d: Numbers, g: Numbers, total: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """y and its information, of a pair of which only the winner is known: the mean of such margins."""
    c = m.sqrt(total)
    v, w, _ = m.above(g * d / c)
    return d + g * c * v, w


def sureness(variance: Numbers, noise: Numbers) -> Numbers:
    """w of a team or a player: how much what was seen of them weighs."""
    return 1 / (variance + noise)


def share_of_others(w: Numbers, total: Numbers) -> Numbers:
    """u: what is left of the information once the common level is known; `total`: the sum of all w."""
    return 1 - w / total


def one_way(r: Numbers, place: Numbers, first: Numbers, last: Numbers, m: Maths) -> Numbers:
    """r: the first never falls by the others' results, and the last never rises."""
    return m.where(place == first, m.maximum(r, 0.0), m.where(place == last, m.minimum(r, 0.0), r))


def pulled(
    mu: Numbers, s2: Numbers, gain: Numbers, pull: tuple[Numbers, Numbers, Numbers], m: Maths
) -> tuple[Numbers, Numbers]:
    """The Kalman step: mean and variance after the margin; `gain`: n·s², `pull`: w, r and u of the team."""
    w, r, u = pull
    weighed = gain * w
    return mu + weighed * r, m.maximum(s2 - gain * weighed * u, LEAST_VARIANCE)


def left_as_last(mu: Numbers, sigma: Numbers, form_mu: Numbers, variance: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """A leaver's form never rises, and never becomes more certain."""
    return m.minimum(mu, form_mu), m.maximum(variance, sigma * sigma)


def kept(mu: Numbers, sigma: Numbers, form_mu: Numbers, variance: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """The form of a player who came first, whom a win never costs."""
    return m.maximum(form_mu, mu), m.minimum(variance, sigma * sigma)


def bounded(
    mu: Numbers, sigma: Numbers, form_mu: Numbers, variance: Numbers, caution: float, m: Maths
) -> tuple[Numbers, Numbers]:
    """The form of a player who came last, whose display rating never rises, not even by becoming surer."""
    lower = m.minimum(form_mu, mu)
    surest = m.maximum(sigma - (mu - lower) / caution, 0.0)
    return lower, m.maximum(variance, surest * surest)


def deviation(variance: Numbers, m: Maths) -> Numbers:
    """Sigma after the match."""
    return m.sqrt(m.maximum(variance, LEAST_VARIANCE))


def comes_first(place: Numbers, first: Numbers, last: Numbers) -> Any:
    """True if a team came first, and not all tied."""
    return (place == first) & (first < last)


def comes_last(place: Numbers, first: Numbers, last: Numbers) -> Any:
    """True if a team came last, and not all tied."""
    return (place == last) & (first < last)


def practised(matches: Numbers, lost: Any, practice: float, half: float, in_defeat: bool, m: Maths) -> Numbers:
    """What a player gains by one more match; `lost`: their team came last. A defeat counts only if `in_defeat`."""
    gained = m.where(lost, practice if in_defeat else 0.0, practice)
    return gained * half / ((matches + half) * (matches + 1 + half))


def seen_by_stat(off: Numbers, deviation: Numbers, impact: float) -> Numbers:
    """What a statistic says of a player, `off` the mean of their team-mates and themselves."""
    return impact * off / deviation


def stat_noise(impact_noise: float, calm: Numbers) -> Numbers:
    return impact_noise * impact_noise * calm


def judged(mu: Numbers, variance: Numbers, w: Numbers, r: Numbers, u: Numbers) -> tuple[Numbers, Numbers]:
    """The form after a player's own statistic."""
    return mu + variance * w * r, variance - variance * variance * w * u


def noise_lesson(y: Numbers, d: Numbers, f: Numbers) -> tuple[Numbers, Numbers]:
    """What a pair teaches about noise: ed and dd."""
    return (y - d) * d / (f * f), d * d / (f * f)


def luck_of_last(luck_of_pairs: Numbers, sides: Numbers) -> Numbers:
    """How much of the place is luck if one side of more than four comes last alone.

    If each side has bad luck with the chance λ, and comes last then, luck decides 2λ/(1 + λ) of the decided pairs.
    """
    unlucky = luck_of_pairs / (2 - luck_of_pairs)
    return sides * unlucky / (sides * unlucky + 1 - unlucky)


def slope_lesson(z: Numbers, slope: Numbers, won: Any, luck: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """Gradient and information of the slope from one pair: a probit regression of winning on the lead z.

    `luck`: the share with which luck decides the pair.
    """
    bz = slope * z
    p = m.clip(chance_with_luck(m.Phi(bz), luck), CLIP, 1 - CLIP)
    h = (1 - luck) * m.exp(-0.5 * bz * bz) / SQRT_2PI
    return m.where(won, z * h / p, -z * h / (1 - p)), z * z * h * h / (p * (1 - p))


def luck_lesson(z: Numbers, slope: Numbers, won: Any, luck: Numbers, m: Maths) -> tuple[Numbers, Numbers]:
    """Gradient and information of the share of luck from one pair with a side that shares the last place."""
    chance = m.Phi(slope * z)
    p = m.clip(chance_with_luck(chance, luck), CLIP, 1 - CLIP)
    e = 0.5 - chance
    return m.where(won, e / p, -e / (1 - p)), e * e / (p * (1 - p))


def told(y: Numbers, d: Numbers, tells: Numbers) -> Numbers:
    """y of a pair that tells this share of what its order says."""
    return d + tells * (y - d)
