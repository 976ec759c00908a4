"""Finds the best split of each lobby into teams: it tries every legal split, for all lobbies of one shape at once.

A *lobby* is a row of ticket indices, padded with −1; `sides` holds the team of each ticket. Parties stay whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from matchmaking.matcher._seating import improve, seat
from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.tickets import ChanceBound, MatchRules
from matchmaking.matcher.widening import Floats

MOST_SPLITS = 100_000  # ten against ten without parties has 92,378
CELLS = 4_000_000  # lobbies × splits at once, to bound memory
Ties = dict[tuple[int, int, bool], list[int]]  # (place, place, True if apart) → rows


def split_lobbies(units: Units, lobbies: Ints, rules: MatchRules) -> tuple[Ints, Ints, Floats]:
    """Lobbies with their tickets ordered by size, largest first, their sides and their differences.

    The difference is that of the teams' mean strengths; it is infinite if no split is legal.
    """
    size = np.where(lobbies >= 0, units.size[lobbies], 0)
    order = np.lexsort((lobbies, -size), axis=1)
    lobbies, size = np.take_along_axis(lobbies, order, 1), np.take_along_axis(size, order, 1)
    sides = np.full(lobbies.shape, -1, np.int64)
    difference = np.full(len(lobbies), np.inf)
    if not len(lobbies):
        return lobbies, sides, difference
    shapes, which = np.unique(size, axis=0, return_inverse=True)
    for number, shape in enumerate(shapes):
        rows = np.flatnonzero(which.ravel() == number)
        sizes = tuple(int(x) for x in shape[shape > 0])
        options = legal_splits(sizes, rules.team_size, rules.team_count, rules.max_party_difference)
        chunk = max(1, CELLS // max(1, len(options)))
        for start in range(0, len(rows), chunk):
            part = rows[start : start + chunk]
            strength, ties = units.strength[lobbies[part, : len(sizes)]], _ties(units, lobbies[part])
            sides[part, : len(sizes)], difference[part] = _best(strength, sizes, options, rules, ties)
    return lobbies, sides, difference


def _best(
    strength: Floats, sizes: tuple[int, ...], options: Ints, rules: MatchRules, ties: Ties
) -> tuple[Ints, Floats]:
    """Sides and differences of lobbies of one shape.

    Tickets are seated one by one if the rules ask for it or if there are too many splits to try them all.
    """
    sides, difference = _best_of(strength, options, rules, ties)
    if rules.split == "greedy" or len(options) == MOST_SPLITS:
        tied = {lobby for lobbies in ties.values() for lobby in lobbies}
        for row in np.flatnonzero(np.isfinite(difference)).tolist():
            seated = None if row in tied else _seat(sizes, strength[row].tolist(), rules)
            if seated is not None:
                sides[row], difference[row] = seated, _gap(strength[row], seated, rules)
    return sides, difference


def _seat(sizes: tuple[int, ...], strength: list[float], rules: MatchRules) -> list[int] | None:
    sides = seat(sizes, strength, rules.team_size, rules.team_count)
    if sides is None or not _even(sizes, sides, rules.team_count, rules.max_party_difference):
        return None
    return sides if rules.split == "greedy" else improve(sides, sizes, strength, rules.team_count)


def _gap(strength: Floats, sides: list[int], rules: MatchRules) -> float:
    totals = np.bincount(sides, strength, rules.team_count)
    return float(np.ptp(totals)) / rules.team_size


def _best_of(strength: Floats, options: Ints, rules: MatchRules, ties: Ties) -> tuple[Ints, Floats]:
    if not len(options):
        return np.full(strength.shape, -1, np.int64), np.full(len(strength), np.inf)
    totals = [strength @ (options == team).T for team in range(rules.team_count)]
    gaps = np.maximum.reduce(totals) - np.minimum.reduce(totals)
    for (one, other, apart), lobbies in ties.items():
        broken = np.flatnonzero((options[:, one] == options[:, other]) == apart)
        gaps[np.array(lobbies)[:, None], broken] = np.inf
    choice = gaps.argmin(1)
    return options[choice], gaps[np.arange(len(gaps)), choice] / rules.team_size


@lru_cache(maxsize=256)
def legal_splits(sizes: tuple[int, ...], team_size: int, team_count: int, party_difference: int | None = None) -> Ints:
    """All ways to put tickets of these sizes into full teams (splits × tickets), at most MOST_SPLITS of them.

    Teams are numbered in the order in which they first appear.
    """
    splits: list[tuple[int, ...]] = []
    room = [team_size] * team_count

    def place(done: tuple[int, ...]) -> None:
        if len(done) == len(sizes):
            if not any(room) and _even(sizes, done, team_count, party_difference):
                splits.append(done)
            return
        for team in range(min(max(done, default=-1) + 2, team_count)):
            if room[team] >= sizes[len(done)] and len(splits) < MOST_SPLITS:
                room[team] -= sizes[len(done)]
                place((*done, team))
                room[team] += sizes[len(done)]

    place(())
    return np.array(splits, np.int64).reshape(-1, len(sizes))


def _even(sizes: Sequence[int], sides: Sequence[int], team_count: int, most: int | None) -> bool:
    """True if the teams' largest parties differ by at most `most`."""
    if most is None:
        return True
    largest = [max(size for size, side in zip(sizes, sides, strict=True) if side == team) for team in range(team_count)]
    return max(largest) - min(largest) <= most


def _ties(units: Units, lobbies: Ints) -> Ties:
    """The pairs of places in these lobbies that blocks keep on different teams, or last matches on one team."""
    ties: Ties = defaultdict(list)
    for pairs, apart in ((units.apart, True), (units.together, False)):
        for lobby, one, other in pairs_within(lobbies, pairs).tolist():
            ties[one, other, apart].append(lobby)
    return ties


def pairs_within(lobbies: Ints, pairs: Ints) -> Ints:
    """The pairs of tickets that are in one lobby: rows of the lobby and the two places in it."""
    rows, places = np.nonzero(lobbies >= 0)
    tickets = lobbies[rows, places]
    by_ticket = np.argsort(tickets, kind="stable")
    tickets, rows, places = tickets[by_ticket], rows[by_ticket], places[by_ticket]
    start = np.searchsorted(tickets, pairs[:, 0])
    count = np.searchsorted(tickets, pairs[:, 0], side="right") - start
    seats = np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())  # of the pairs' first tickets
    other = np.repeat(pairs[:, 1], count)
    lobby, place = np.nonzero(lobbies[rows[seats]] == other[:, None])
    return np.stack([rows[seats][lobby], places[seats][lobby], place], axis=1)


def even_enough(units: Units, lobbies: Ints, difference: Floats, bound: ChanceBound | None) -> Bools:
    """By lobby: True if its favourite is within the bound, which widens with the longest wait in the lobby."""
    if bound is None:
        return np.ones(len(lobbies), np.bool_)
    waited = np.where(lobbies >= 0, units.waited[lobbies], 0.0).max(1, initial=0.0)
    most = bound.start + (bound.end - bound.start) * np.minimum(waited / bound.over, 1.0)
    within: Bools = 1 / (1 + 10 ** (-difference / bound.scale)) <= most
    return within
