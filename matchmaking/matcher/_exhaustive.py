"""Matches few tickets by trying every set of lobbies.

The lexicographically oldest set of matched tickets wins, then the smallest sum of differences. A set of tickets is a
bit mask whose highest bit is the oldest ticket, so the oldest set is the largest number.
"""

from __future__ import annotations

import numpy as np

from matchmaking.matcher._splits import even_enough, split_lobbies
from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.tickets import MatchRules
from matchmaking.matcher.widening import Floats

FEW = 14


def search(units: Units, rules: MatchRules) -> tuple[Ints, Ints, Floats]:
    """The best lobbies of at most FEW tickets, as `split_lobbies` returns them."""
    masks, lobbies = legal_sets(units, rules)
    lobbies, sides, difference = split_lobbies(units, lobbies, rules)
    legal = np.isfinite(difference) & even_enough(units, lobbies, difference, rules.bound)
    masks, lobbies, sides, difference = masks[legal], lobbies[legal], sides[legal], difference[legal]
    chosen = best_cover(masks, difference, len(units))
    return lobbies[chosen], sides[chosen], difference[chosen]


def legal_sets(units: Units, rules: MatchRules) -> tuple[Ints, Ints]:
    """The sets of tickets that fill a match and fit each other, before teams: their masks and their lobbies."""
    count = len(units)
    masks = np.arange(1 << count)
    inside = (masks[:, None] >> np.arange(count - 1, -1, -1)) & 1 == 1
    full = (inside @ units.size) == rules.players
    masks, inside = masks[full], inside[full]
    fit = _all_fit(units, inside, rules)
    masks, inside = masks[fit], inside[fit]
    tickets = np.where(inside, np.arange(count), count)
    lobbies = np.full((len(masks), rules.players), -1, np.int64)
    tickets = np.sort(tickets, axis=1)[:, : rules.players]
    lobbies[:, : tickets.shape[1]] = np.where(tickets < count, tickets, -1)
    return masks, lobbies


def _all_fit(units: Units, inside: Bools, rules: MatchRules) -> Bools:
    low = np.where(inside, units.low, np.inf).min(1, initial=np.inf)
    high = np.where(inside, units.high, -np.inf).max(1, initial=-np.inf)
    fit: Bools = low >= np.where(inside, units.floor, -np.inf).max(1, initial=-np.inf)
    fit &= high <= np.where(inside, units.ceiling, np.inf).min(1, initial=np.inf)
    fit &= np.bitwise_and.reduce(np.where(inside, units.regions, -1), axis=1) != 0
    if rules.max_spread is not None:
        strongest = np.where(inside, units.strongest, -np.inf).max(1, initial=-np.inf)
        fit &= strongest - np.where(inside, units.weakest, np.inf).min(1, initial=np.inf) <= rules.max_spread
    return fit


def best_cover(masks: Ints, difference: Floats, count: int) -> list[int]:
    """The indices of the best disjoint sets: by the largest union, then by the smallest sum of differences."""
    cost = np.full(1 << count, np.inf)
    cost[0], last = 0.0, np.full(1 << count, -1)
    everything = np.arange(1 << count)
    for index in np.argsort(masks, kind="stable").tolist():  # a set joins unions of sets with a lower highest bit
        mask = int(masks[index])
        below = everything[: 1 << (mask.bit_length() - 1)]
        below = below[(below & mask == 0) & np.isfinite(cost[: len(below)])]
        union, total = below | mask, cost[below] + difference[index]
        better = total < cost[union]
        cost[union[better]], last[union[better]] = total[better], index
    union, chosen = int(np.flatnonzero(np.isfinite(cost))[-1]), []
    while union:
        chosen.append(int(last[union]))
        union ^= int(masks[chosen[-1]])
    return chosen
