"""Weng–Lin's Plackett–Luce for two teams, for a match by floats and for a history by arrays.

Source: algorithm 4 of Ruby Weng and Chih-Jen Lin, "A Bayesian Approximation Method for Online Ranking" (2011), as the
package `openskill` has it. For two teams it is a logistic Elo with deviations: with p, a team's chance of coming first,
and S, what it reached, omega is S − p and delta is p·(1 − p). No exponential overflows, however far apart teams are.
"""

from __future__ import annotations

from ranking.systems.shared.maths import Maths, Numbers


def deviation(total: Numbers, beta: float, teams: int, m: Maths) -> Numbers:
    """c, the deviation of a match of so many teams; `total`: the sum of all players' variances."""
    return m.sqrt(total + teams * beta * beta)


def chance(ahead: Numbers, c: Numbers, m: Maths) -> Numbers:
    """p = 1/(1 + exp(−ahead/c)); `ahead`: by how much the sum of the team's means leads."""
    odds = m.exp(-abs(ahead) / c)  # of the team that is behind
    return m.where(ahead > 0, 1.0, odds) / (1 + odds)


def pull(score: Numbers, chance: Numbers, c: Numbers) -> Numbers:
    """omega/c: by so much times s² a player's mean moves."""
    return (score - chance) / c


def spread(chance: Numbers) -> Numbers:
    """delta = p·(1 − p)."""
    return chance * (1 - chance)


def sureness(delta: Numbers, total: Numbers, c: Numbers, m: Maths) -> Numbers:
    """gamma·delta/c² with gamma = √total/c: by so much times s² a player's variance falls, as a share of it.

    `total`: the sum of the variances of the player's team.
    """
    return delta / (c * c * c) * m.sqrt(total)


def mean_after(mu: Numbers, gain: Numbers, pull: Numbers) -> Numbers:
    """mu' = mu + w·s²·pull; `gain`: w·s²."""
    return mu + gain * pull


def deviation_after(s2: Numbers, sureness: Numbers, kappa: float, m: Maths) -> Numbers:
    """sigma' = √(s²·max(kappa, 1 − s²·sureness)); a part-time player's `sureness` is by w²."""
    return m.sqrt(s2 * m.maximum(1 - s2 * sureness, kappa))
