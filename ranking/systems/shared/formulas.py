"""Formulas that several systems share, for a match by floats and for a history by arrays."""

from __future__ import annotations

from ranking.systems.shared.maths import Maths, Numbers

DEVIATIONS = 3  # of a skill's sigma, subtracted from its mean for the display rating
FIELD = 5  # sides, of the smallest match that may tell about luck
ROUNDING = 2.0**-50  # of a number: more than rounding can take from it


def outcome_of(place: Numbers, other_place: Numbers) -> Numbers:
    """1 for the better place, 0 for the same, −1 for the worse one; places may be floats or arrays."""
    return 0.0 + (place < other_place) - (place > other_place)


def score_of(outcome: Numbers) -> Numbers:
    """S of Elo's formula by the outcome: 1 for a win, ½ for a draw, 0 for a loss."""
    return 0.5 + 0.5 * outcome


def drifted(variance: Numbers, tau: Numbers) -> Numbers:
    """s² = sigma² + tau²: a player's variance, after what may have drifted since the last match."""
    return variance + tau * tau


def team_variance(total: Numbers, weights: Numbers, beta: float) -> Numbers:
    """The variance of a team's performance; `total`: Σ w²·s², `weights`: Σ w², the head count if all w are 1."""
    return total + weights * (beta * beta)


def winners_deviation(mu: Numbers, sigma: Numbers, new_mu: Numbers, new_sigma: Numbers, m: Maths) -> Numbers:
    """sigma' of a winner, small enough that mu − 3·sigma doesn't fall."""
    most = sigma + (new_mu - mu) / DEVIATIONS - ROUNDING * (abs(mu) + sigma)
    return m.minimum(new_sigma, m.maximum(most, sigma / 2))


def chance_with_luck(chance: Numbers, luck: Numbers) -> Numbers:
    """The chance of a pair whose order luck decides with this share."""
    return (1 - luck) * chance + luck / 2
