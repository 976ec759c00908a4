"""Forming lobbies, oldest first: every ticket not yet matched looks at its neighbours in strength and takes who fits.

The oldest scan together, neighbour by neighbour. Where two want the same ticket, the older has it and the younger scans
again without: the oldest left always gets what its scan finds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.splits import split_lobbies
from matchmaking.matcher.tickets import Rules

REACHES = (24, 256)  # neighbours on either side that a scan looks at; the second for who found no match among the first
AT_ONCE, SHARE = 128, 4  # how many of the oldest scan at once: so many, or this part of those who still hope
FULL_BY = 4  # columns after which full seeds are put aside


def form_lobbies(units: Units, free: Bools, rules: Rules) -> tuple[Ints, Bools]:
    """Lobbies of tickets that are `free` (lobbies × places, −1 = empty place), and who is free still."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """Tickets in one line: region by region, by mean strength. `start[r]` is where region r's part begins."""

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


def _scan(units: Units, line: _Line, seeds: Ints, region: Ints, reach: int, rules: Rules, careful: bool) -> Ints:
    """The lobby that each seed finds in its region, not full if it finds none. With care no two tickets that a block or
    a last match concerns come into one lobby; else the split has to keep them apart or together."""
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
        who, ticket = going[fits], ticket[fits]
        if careful and len(who):
            clear = ~np.isin(lobbies[who] * len(units) + ticket[:, None], apart).any(1)
            who, ticket = who[clear], ticket[clear]
        lobbies[who, at.count[who]] = ticket
        at.add(who, ticket)
        if step % FULL_BY == 0:
            going = going[at.room[going].any(1)]
            if not len(going):
                break
    return lobbies


class _Filling:
    """Lobbies being filled, a row for each seed: what a ticket must fit to come in."""

    def __init__(self, units: Units, seeds: Ints, rules: Rules) -> None:
        self.units, self.most = units, rules.max_spread
        self.count = np.ones(len(seeds), np.int64)
        self.room = np.full((len(seeds), rules.team_count), rules.team_size)
        self.room[:, 0] -= units.size[seeds]
        self.low, self.high = units.low[seeds], units.high[seeds]
        self.floor, self.ceiling = units.floor[seeds], units.ceiling[seeds]
        self.weakest, self.strongest = units.weakest[seeds], units.strongest[seeds]

    def fits(self, who: Ints, ticket: Ints) -> Bools:
        units = self.units
        fits: Bools = (
            (units.low[ticket] >= self.floor[who])
            & (units.high[ticket] <= self.ceiling[who])
            & (units.floor[ticket] <= self.low[who])
            & (units.ceiling[ticket] >= self.high[who])
            & (units.size[ticket] <= self.room[who].max(1))
        )
        if self.most is not None:
            strongest = np.maximum(units.strongest[ticket], self.strongest[who])
            fits &= strongest - np.minimum(units.weakest[ticket], self.weakest[who]) <= self.most
        return fits

    def add(self, who: Ints, ticket: Ints) -> None:
        """Let a ticket into each of these lobbies, on the team where it leaves the least room."""
        units, room = self.units, self.room[who]
        size = units.size[ticket]
        team = np.where(room >= size[:, None], room, room.max(initial=0) + 1).argmin(1)
        self.room[who, team] -= size
        self.count[who] += 1
        self.low[who] = np.minimum(self.low[who], units.low[ticket])
        self.high[who] = np.maximum(self.high[who], units.high[ticket])
        self.floor[who] = np.maximum(self.floor[who], units.floor[ticket])
        self.ceiling[who] = np.minimum(self.ceiling[who], units.ceiling[ticket])
        self.weakest[who] = np.minimum(self.weakest[who], units.weakest[ticket])
        self.strongest[who] = np.maximum(self.strongest[who], units.strongest[ticket])


def _keys(units: Units) -> Ints:
    """Pairs that care keeps out of one lobby, both ways round, as one number each."""
    pairs = np.concatenate([units.apart, units.together])
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    return np.unique(pairs[:, 0] * len(units) + pairs[:, 1])


def _undisputed(lobbies: Ints, seeds: Ints, count: int) -> Bools:
    """Which lobbies hold no ticket that an older seed's lobby holds, too."""
    rows, places = np.nonzero(lobbies >= 0)
    oldest = np.full(count, count)
    np.minimum.at(oldest, lobbies[rows, places], seeds[rows])
    won: Bools = np.where(lobbies >= 0, oldest[lobbies], seeds[:, None]).min(1, initial=count) == seeds
    return won


def _splittable(units: Units, lobbies: Ints, rules: Rules) -> Bools:
    legal: Bools = np.isfinite(split_lobbies(units, lobbies, rules)[2])
    return legal
