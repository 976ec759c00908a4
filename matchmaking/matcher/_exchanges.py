"""Improves balance by exchanges: two lobbies of two teams swap tickets of one size if every rule still holds.

Each lobby is paired with a neighbour, and all pairs make one exchange at once: the one that lowers the sum of the two
differences most.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from matchmaking.matcher._splits import split_lobbies
from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.tickets import MatchRules
from matchmaking.matcher.widening import Floats

DISTANCES = (1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 20)
ROUNDS = 10
EVEN = 0.002  # mean difference that is good enough, as a share of the spread of strength
LEAST = 0.1  # smallest gain of an exchange, as a share of that


def exchange(
    units: Units, lobbies: Ints, sides: Ints, difference: Floats, rules: MatchRules
) -> tuple[Ints, Ints, Floats]:
    """Exchange tickets between lobbies of two teams; arguments and results are as `split_lobbies` returns them.

    The sum of the differences never grows. Lobbies of more than two teams stay as they are.
    """
    if rules.team_count != 2 or len(lobbies) < 2:
        return lobbies, sides, difference
    enough = EVEN * rules.team_size * float(np.std(units.strength / units.size))
    for number in range(ROUNDS):
        order = _in_line(units, lobbies, alike=number % 2 == 1)
        lobbies, sides = lobbies[order], sides[order]
        for distance in DISTANCES:
            for start in (0, distance):
                _pass(units, lobbies, sides, _couples(len(lobbies), distance, start), rules, enough)
        lobbies, sides, difference = split_lobbies(units, lobbies, rules)
        if difference.mean() * rules.team_size <= enough:
            break
    return lobbies, sides, difference


def _in_line(units: Units, lobbies: Ints, alike: bool) -> Ints:
    """Sort lobbies by strength, so that neighbours fit each other; `alike`: first by the size of the largest ticket."""
    there = lobbies >= 0
    total = np.where(there, units.strength[lobbies], 0.0).sum(1)
    largest = np.where(there, units.size[lobbies], 0).max(1)
    return np.lexsort((lobbies.min(1, where=there, initial=len(units)), total, largest if alike else 0 * largest))


def _couples(count: int, distance: int, start: int) -> tuple[Ints, Ints]:
    one = np.arange(start, count - distance)
    one = one[(one - start) // distance % 2 == 0]
    return one, one + distance


def _pass(
    units: Units, lobbies: Ints, sides: Ints, couples: tuple[Ints, Ints], rules: MatchRules, enough: float
) -> None:
    """Make the best exchange of each couple, in place; couples with a sum of leads of at most `enough` stay."""
    strength, ours = np.where(lobbies >= 0, units.strength[lobbies], 0.0), np.where(sides == 0, 1.0, -1.0)
    lead = (strength * ours).sum(1)
    uneven = np.abs(lead[couples[0]]) + np.abs(lead[couples[1]]) > enough
    one, other = couples = couples[0][uneven], couples[1][uneven]
    if not len(one):
        return
    mine, theirs = lobbies[one], lobbies[other]
    frozen = _tied(units, lobbies, couples)
    # The strength that comes in less the one that goes: couples × own places × other places.
    change = strength[other][:, None, :] - strength[one][:, :, None]
    gain = (np.abs(lead[one]) + np.abs(lead[other]))[:, None, None]
    gain = gain - np.abs(lead[one][:, None, None] + ours[one][:, :, None] * change)
    gain -= np.abs(lead[other][:, None, None] - ours[other][:, None, :] * change)
    size = np.where((lobbies >= 0) & ~frozen, units.size[lobbies], 0)
    better = (size[one][:, :, None] == size[other][:, None, :]) & (size[one][:, :, None] > 0) & (gain > LEAST * enough)
    couple, a, b = np.nonzero(better)
    fits = _fits(units, mine, couple, a, theirs[couple, b], rules)
    fits &= _fits(units, theirs, couple, b, mine[couple, a], rules)
    couple, a, b = couple[fits], a[fits], b[fits]
    order = np.lexsort((-gain[couple, a, b], couple))
    couple, first = np.unique(couple[order], return_index=True)
    a, b = a[order][first], b[order][first]
    here, there = one[couple], other[couple]
    lobbies[here, a], lobbies[there, b] = lobbies[there, b], lobbies[here, a]


def _tied(units: Units, lobbies: Ints, couples: tuple[Ints, Ints]) -> Bools:
    """By place: True if a block or a last match ties the ticket to another one of the couple, so that it must stay."""
    couple = np.full(len(lobbies), -1)
    couple[couples[0]] = couple[couples[1]] = np.arange(len(couples[0]))
    of = np.full(len(units), -1)
    rows, places = np.nonzero(lobbies >= 0)
    of[lobbies[rows, places]] = couple[rows]
    pairs = np.concatenate([units.apart, units.together])
    pairs = pairs[(of[pairs[:, 0]] == of[pairs[:, 1]]) & (of[pairs[:, 0]] >= 0)]
    tied = np.zeros(len(units), np.bool_)
    tied[pairs] = True
    return tied[lobbies] & (lobbies >= 0)


def _fits(units: Units, lobbies: Ints, row: Ints, place: Ints, came: Ints, rules: MatchRules) -> Bools:
    """By case: True if the ticket `came` fits the lobby in `row` without the ticket at `place`."""
    least = partial(_least_without, lobbies=lobbies, row=row, place=place)
    fits: Bools = (units.low[came] >= -least(-units.floor)) & (units.high[came] <= least(units.ceiling))
    fits &= (units.floor[came] <= least(units.low)) & (units.ceiling[came] >= -least(-units.high))
    fits &= (_regions_without(units, lobbies)[row, place] & units.regions[came]) != 0
    if rules.max_spread is not None:
        weakest = np.minimum(least(units.weakest), units.weakest[came])
        strongest = np.maximum(-least(-units.strongest), units.strongest[came])
        return fits & (strongest - weakest <= rules.max_spread)
    return fits


def _least_without(column: Floats, lobbies: Ints, row: Ints, place: Ints) -> Floats:
    """The least value of a column in the lobby in each `row`, without the ticket at `place`."""
    values = np.where(lobbies >= 0, column[lobbies], np.inf)
    rows, least = np.arange(len(values)), values.argmin(1)
    first = values[rows, least]
    values[rows, least] = np.inf
    result: Floats = np.where(least[row] == place, values.min(1)[row], first[row])
    return result


def _regions_without(units: Units, lobbies: Ints) -> Ints:
    """The regions good for each lobby without the ticket at each place."""
    bits = np.where(lobbies >= 0, units.regions[lobbies], -1)
    everything = np.full((len(bits), 1), -1)
    before = np.bitwise_and.accumulate(np.concatenate([everything, bits[:, :-1]], 1), axis=1)
    after = np.bitwise_and.accumulate(np.concatenate([everything, bits[:, :0:-1]], 1), axis=1)[:, ::-1]
    return np.bitwise_and(before, after, dtype=np.int64)
