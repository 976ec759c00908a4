"""The formulas of Gaussian Elo (see system.py for their source), for a match by floats and for a history by arrays."""

from __future__ import annotations

from math import pi, sqrt

from ranking.systems.shared.maths import Maths, Numbers

SQRT_PI = sqrt(pi)


def alpha_after(matches: Numbers, first: float, later: float, until: int, m: Maths) -> Numbers:
    """Alpha after so many rated matches: it moves from `first` to `later`, where it is after `until` matches."""
    return later + (first - later) * m.maximum(0.0, 1 - matches / until)


def stake(alpha: Numbers, beta: float) -> Numbers:
    """K = alpha·beta·√π: the most that one match can move a rating."""
    return alpha * beta * SQRT_PI


def chance(rating: Numbers, other: Numbers, beta: float, m: Maths) -> Numbers:
    """C = Phi((s1 − s2)/(√2·beta)) = erfc((s2 − s1)/(2·beta))/2: the chance that one player beats another."""
    return 0.5 * m.erfc((other - rating) / (2 * beta))


def after(rating: Numbers, stake: Numbers, duels: Numbers, surprise: Numbers) -> Numbers:
    """The rating after a match: it moves by the mean of K·(S − C), by the player's own share.

    `surprise`: the sum of S − C over the duels, by the shares of both players; `duels`: that of the opponents' shares.
    """
    return rating + stake / duels * surprise


def for_part(rating: Numbers, after: Numbers, share: Numbers) -> Numbers:
    """The rating of a leaver of whose change only a share counts."""
    return rating + share * (after - rating)


def team_lead(ahead: Numbers, players: Numbers, beta: float, m: Maths) -> Numbers:
    """(ΣA − ΣB)/(beta·√(nA + nB)): a team wins with the chance Phi of it.

    `ahead`: ΣA − ΣB, of ratings by shares; `players`: nA + nB, the sum of shares.
    """
    return ahead / (beta * m.sqrt(players))
