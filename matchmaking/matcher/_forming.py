"""Forms lobbies, oldest tickets first: each unmatched ticket scans its neighbours in strength and takes those that fit.

Many of the oldest tickets scan at once, neighbour by neighbour. If two want the same ticket, the older one gets it and
the younger one scans again without it. So the oldest unmatched ticket always gets what its scan finds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matchmaking.matcher._splits import split_lobbies
from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.tickets import MatchRules

REACHES = (24, 256)  # neighbours on either side of a scan; the second for tickets without a match after the first
AT_ONCE, SHARE = 128, 4  # tickets that scan at once: AT_ONCE, or 1/SHARE of those without a match if that is more
ROUNDS = 4  # of smaller matches in one call
FULL_BY = 4  # steps after which full lobbies are put aside


def form_lobbies(units: Units, free: Bools, rules: MatchRules) -> tuple[Ints, Bools]:
    """Lobbies of `free` tickets (lobbies × places, −1 for an empty place), and the tickets that are still free."""
    free, found = free.copy(), [np.empty((0, rules.players), np.int64)]
    nearest = np.argsort(units.pings, axis=1, kind="stable")
    line = _line_up(units)
    for reach in REACHES:
        tries = np.zeros(len(units), np.int64)  # two for each region, nearest first: freely, then with care
        while True:
            region = np.take_along_axis(nearest, np.minimum(tries // 2, nearest.shape[1] - 1)[:, None], 1)[:, 0]
            hopeful = (tries < 2 * nearest.shape[1]) & np.isfinite(units.pings[np.arange(len(units)), region])
            seeds = np.flatnonzero(free & hopeful)
            seeds = seeds[: max(AT_ONCE, len(seeds) // SHARE)]
            if not len(seeds):
                break
            line = _thin_out(line, free)
            lobbies = np.full((len(seeds), rules.players), -1, np.int64)
            for careful in (False, True):
                turn = np.flatnonzero(tries[seeds] % 2 == careful)
                if len(turn):
                    lobbies[turn] = _scan(units, line, seeds[turn], region[seeds[turn]], reach, rules, careful)
            full = np.where(lobbies >= 0, units.size[lobbies], 0).sum(1) == rules.players
            tries[seeds[~full]] += 2 - tries[seeds[~full]] % 2
            won = _undisputed(lobbies[full], seeds[full], len(units))
            lobbies, seeds = lobbies[full][won], seeds[full][won]
            legal = _splittable(units, lobbies, rules)
            tries[seeds[~legal]] += 1
            free[lobbies[legal][lobbies[legal] >= 0]] = False
            found.append(lobbies[legal])
    return np.concatenate(found), free


def form_smaller(units: Units, patient: Bools, rules: MatchRules) -> Ints:
    """Lobbies of a free-for-all that needn't be full (lobbies × places, −1 for an empty place).

    Each begins with one of the oldest tickets that are `patient`, and takes the neighbours that fit it, in the region
    that gives it most. What is left after ROUNDS waits for the next call.
    """
    free, found = units.size == 1, [np.empty((0, rules.players), np.int64)]
    line, nearest = _line_up(units), np.argsort(units.pings, axis=1, kind="stable")
    for _ in range(ROUNDS):
        seeds = np.flatnonzero(free & patient)
        line = _thin_out(line, free)
        best = np.full((len(seeds), rules.players), -1, np.int64)
        for rank in range(nearest.shape[1]):
            region = nearest[seeds, rank]
            turn = np.flatnonzero(np.isfinite(units.pings[seeds, region]))
            if len(turn):
                lobbies = _scan(units, line, seeds[turn], region[turn], REACHES[-1], rules, careful=True)
                larger = (lobbies >= 0).sum(1) > (best[turn] >= 0).sum(1)
                best[turn[larger]] = lobbies[larger]
        enough = (best >= 0).sum(1) >= rules.fewest_players
        won = _undisputed(best[enough], seeds[enough], len(units))
        if not won.any():
            break
        chosen = best[enough][won]
        free[chosen[chosen >= 0]] = False
        found.append(chosen)
    return np.concatenate(found)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """Tickets in one line, by region and then by mean strength; `start[r]`: the first place of region r."""

    tickets: Ints
    regions: Ints
    start: Ints
    place: Ints  # ticket × region → place in the line


def _line_up(units: Units) -> _Line:
    tickets, regions = np.nonzero(np.isfinite(units.pings))
    order = np.lexsort((tickets, units.strength[tickets] / units.size[tickets], regions))
    return _line(tickets[order], regions[order], units.pings.shape)


def _thin_out(line: _Line, free: Bools) -> _Line:
    stay = free[line.tickets]
    return _line(line.tickets[stay], line.regions[stay], line.place.shape)


def _line(tickets: Ints, regions: Ints, shape: tuple[int, ...]) -> _Line:
    place = np.full(shape, -1, np.int64)
    place[tickets, regions] = np.arange(len(tickets))
    return _Line(tickets, regions, np.searchsorted(regions, np.arange(shape[1] + 1)), place)


def _scan(units: Units, line: _Line, seeds: Ints, region: Ints, reach: int, rules: MatchRules, careful: bool) -> Ints:
    """The lobby that each seed finds in its region; it isn't full if the seed finds no match.

    `careful`: two tickets that are tied by a block or a last match don't get into one lobby; otherwise the split has to
    put them on different teams, or on the same one.
    """
    lobbies = np.full((len(seeds), rules.players), -1, np.int64)
    lobbies[:, 0] = seeds
    at = _Filling(units, seeds, rules)
    apart = _keys(units) if careful else np.empty(0, np.int64)
    start, first, end = line.place[seeds, region], line.start[region], line.start[region + 1]
    going = np.arange(len(seeds))
    longest = int((line.start[1:] - line.start[:-1]).max(initial=0))
    for step in range(2, 2 * min(reach, longest) + 2):
        place = start[going] + (step // 2 if step % 2 else -(step // 2))
        inside = (place >= first[going]) & (place < end[going])
        ticket = line.tickets[np.where(inside, place, 0)]
        fits = np.flatnonzero(inside & at.fits(going, ticket))
        rows, ticket = going[fits], ticket[fits]
        if careful and len(rows):
            clear = ~np.isin(lobbies[rows] * len(units) + ticket[:, None], apart).any(1)
            rows, ticket = rows[clear], ticket[clear]
        lobbies[rows, at.count[rows]] = ticket
        at.add(rows, ticket)
        if step % FULL_BY == 0:
            going = going[at.room[going].any(1)]
            if not len(going):
                break
    return lobbies


class _Filling:
    """Lobbies being filled, a row for each seed, with the bounds that the next ticket must keep."""

    def __init__(self, units: Units, seeds: Ints, rules: MatchRules) -> None:
        self.units, self.most = units, rules.max_spread
        self.count = np.ones(len(seeds), np.int64)
        self.room = np.full((len(seeds), rules.team_count), rules.team_size)
        self.room[:, 0] -= units.size[seeds]
        self.low, self.high = units.low[seeds], units.high[seeds]
        self.floor, self.ceiling = units.floor[seeds], units.ceiling[seeds]
        self.weakest, self.strongest = units.weakest[seeds], units.strongest[seeds]

    def fits(self, rows: Ints, ticket: Ints) -> Bools:
        units = self.units
        fits: Bools = (
            (units.low[ticket] >= self.floor[rows])
            & (units.high[ticket] <= self.ceiling[rows])
            & (units.floor[ticket] <= self.low[rows])
            & (units.ceiling[ticket] >= self.high[rows])
            & (units.size[ticket] <= self.room[rows].max(1))
        )
        if self.most is not None:
            strongest = np.maximum(units.strongest[ticket], self.strongest[rows])
            fits &= strongest - np.minimum(units.weakest[ticket], self.weakest[rows]) <= self.most
        return fits

    def add(self, rows: Ints, ticket: Ints) -> None:
        """Put a ticket into each of these lobbies, on the team with the least room that is enough."""
        units, room = self.units, self.room[rows]
        size = units.size[ticket]
        team = np.where(room >= size[:, None], room, room.max(initial=0) + 1).argmin(1)
        self.room[rows, team] -= size
        self.count[rows] += 1
        self.low[rows] = np.minimum(self.low[rows], units.low[ticket])
        self.high[rows] = np.maximum(self.high[rows], units.high[ticket])
        self.floor[rows] = np.maximum(self.floor[rows], units.floor[ticket])
        self.ceiling[rows] = np.minimum(self.ceiling[rows], units.ceiling[ticket])
        self.weakest[rows] = np.minimum(self.weakest[rows], units.weakest[ticket])
        self.strongest[rows] = np.maximum(self.strongest[rows], units.strongest[ticket])


def _keys(units: Units) -> Ints:
    """The pairs that a careful scan keeps out of one lobby, in both orders, as one number each."""
    pairs = np.concatenate([units.apart, units.together])
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    return np.unique(pairs[:, 0] * len(units) + pairs[:, 1])


def _undisputed(lobbies: Ints, seeds: Ints, count: int) -> Bools:
    """By lobby: True if no older seed's lobby holds one of its tickets."""
    rows, places = np.nonzero(lobbies >= 0)
    oldest = np.full(count, count)
    np.minimum.at(oldest, lobbies[rows, places], seeds[rows])
    won: Bools = np.where(lobbies >= 0, oldest[lobbies], seeds[:, None]).min(1, initial=count) == seeds
    return won


def _splittable(units: Units, lobbies: Ints, rules: MatchRules) -> Bools:
    legal: Bools = np.isfinite(split_lobbies(units, lobbies, rules)[2])
    return legal
