"""Weng–Lin for matches in which three or more teams share a place.

Plackett–Luce draws the teams one by one, the best first. Ties are drawn by Efron's method: Bradley Efron, "The
Efficiency of Cox's Likelihood Function for Censored Data" (1977), whose partial likelihood is Plackett–Luce. The d
teams that share a place are drawn in d steps; at each step a share of all of them, 1, (d − 1)/d … 1/d, is still there:

    p_ik = w_ik·exp(mu_i/c)/Σ w_sk·exp(mu_s/c)    w = 1 − k/d for the teams tied at the step k = 0 … d − 1, 1 below them
    omega = 1 − Σ p_ik                             delta = Σ p_ik·(1 − p_ik)

over all steps up to the team's own place. Equal teams that tie get the mean of what strict places would give them, so
a team never ends below an equal one with a worse place. Without ties it is algorithm 4 of the source (see system.py).
`chained_omegas_and_deltas` are those of the package, for teams with part-time players: each of d tied teams is drawn
before the others, and counts by 1/d.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum


def omegas_and_deltas(sums: Sequence[float], places: Sequence[int], c: float) -> list[tuple[float, float]]:
    """omega and delta of each team. `sums`: those of the players' means, `c`: the deviation of the match."""
    omegas, deltas = [1.0] * len(sums), [0.0] * len(sums)
    for place in sorted(set(places)):
        tied = [index for index, own in enumerate(places) if own == place]
        below = [index for index, own in enumerate(places) if own > place]
        most = max([sums[index] for index in (*tied, *below)])
        odds = {index: exp((sums[index] - most) / c) for index in (*tied, *below)}
        theirs, others = fsum([odds[index] for index in tied]), fsum([odds[index] for index in below])
        for step in range(len(tied)):
            left = 1 - step / len(tied)
            total = left * theirs + others
            for index in (*tied, *below):
                chance = (left if places[index] == place else 1.0) * odds[index] / total
                omegas[index] -= chance
                deltas[index] += chance * (1 - chance)
    return list(zip(omegas, deltas, strict=True))


def chained_omegas_and_deltas(sums: Sequence[float], places: Sequence[int], c: float) -> list[tuple[float, float]]:
    """omega and delta of each team by the package's rule for ties. Arguments as those of `omegas_and_deltas`."""
    omegas, deltas = [0.0] * len(sums), [0.0] * len(sums)
    for drawn, place in enumerate(places):
        there = [index for index, own in enumerate(places) if own >= place]
        most = max([sums[index] for index in there])
        odds = {index: exp((sums[index] - most) / c) for index in there}
        total, tied = fsum(odds.values()), places.count(place)
        for index in there:
            chance = odds[index] / total
            omegas[index] += ((index == drawn) - chance) / tied
            deltas[index] += chance * (1 - chance) / tied
    return list(zip(omegas, deltas, strict=True))
