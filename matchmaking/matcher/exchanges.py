"""Better balance by exchange: two lobbies of two teams swap tickets of one size where every rule still holds.

Lobbies pair up with their neighbours, all pairs at once, one exchange each: the one that lowers the sum of the two
differences the most.
"""

from __future__ import annotations

import numpy as np

from matchmaking.matcher.pool import Bools, Ints, Units
from matchmaking.matcher.splits import split_lobbies
from matchmaking.matcher.tickets import Rules
from matchmaking.matcher.widening import Floats

DISTANCES = (1, 2, 3, 1, 4, 5, 6, 7)
ROUNDS = 2


def exchange(units: Units, lobbies: Ints, sides: Ints, difference: Floats, rules: Rules) -> tuple[Ints, Ints, Floats]:
    """The same tickets in lobbies as even or evener: as `split_lobbies` returns them. Two teams only; others stay."""
    if rules.team_count != 2 or len(lobbies) < 2:
        return lobbies, sides, difference
    for _ in range(ROUNDS):
        before = difference.sum()
        order = np.lexsort((lobbies.min(1, where=lobbies >= 0, initial=len(units)), _middle(units, lobbies)))
        lobbies, sides = lobbies[order], sides[order]
        for distance in DISTANCES:
            for start in (0, distance):
                _pass(units, lobbies, sides, _couples(len(lobbies), distance, start), rules)
        lobbies, sides, difference = split_lobbies(units, lobbies, rules)
        if difference.sum() >= before * 0.98:
            break
    return lobbies, sides, difference


def _middle(units: Units, lobbies: Ints) -> Floats:
    there = lobbies >= 0
    total: Floats = np.where(there, units.low[lobbies] + units.high[lobbies], 0.0).sum(1) / there.sum(1)
    return total


def _couples(count: int, distance: int, start: int) -> tuple[Ints, Ints]:
    one = np.arange(start, count - distance)
    one = one[(one - start) // distance % 2 == 0]
    return one, one + distance


def _pass(units: Units, lobbies: Ints, sides: Ints, couples: tuple[Ints, Ints], rules: Rules) -> None:
    """The best exchange of each couple, made in place."""
    one, other = couples
    if not len(one):
        return
    mine, theirs = lobbies[one], lobbies[other]
    frozen = _tied(units, lobbies, couples)
    strength, ours = np.where(lobbies >= 0, units.strength[lobbies], 0.0), np.where(sides == 0, 1.0, -1.0)
    lead = (strength * ours).sum(1)
    # What moves from theirs to mine, by place × place, and the leads that it leaves.
    change = strength[other][:, None, :] - strength[one][:, :, None]
    gain = np.abs(lead[one]) + np.abs(lead[other])
    gain = gain[:, None, None] - np.abs(lead[one][:, None, None] + ours[one][:, :, None] * change)
    gain -= np.abs(lead[other][:, None, None] - ours[other][:, None, :] * change)
    size = np.where((lobbies >= 0) & ~frozen, units.size[lobbies], 0)
    legal = (size[one][:, :, None] == size[other][:, None, :]) & (size[one][:, :, None] > 0) & (gain > 1e-6)
    legal &= _fits(units, mine, theirs, rules) & _fits(units, theirs, mine, rules).transpose(0, 2, 1)
    gain = np.where(legal, gain, 0.0).reshape(len(one), -1)
    best = gain.argmax(1)
    does = np.flatnonzero(gain[np.arange(len(one)), best] > 0)
    a, b = np.divmod(best[does], lobbies.shape[1])
    lobbies[one[does], a], lobbies[other[does], b] = lobbies[other[does], b], lobbies[one[does], a]


def _tied(units: Units, lobbies: Ints, couples: tuple[Ints, Ints]) -> Bools:
    """Tickets that a block or a last match ties to another of the couple: these stay where they are."""
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


def _fits(units: Units, mine: Ints, theirs: Ints, rules: Rules) -> Bools:
    """Whether a ticket of theirs fits mine without one of mine: couples × my places × their places."""
    there = mine >= 0
    low, high = _without(units.low, mine, there, np.inf), -_without(-units.high, mine, there, np.inf)
    floor, ceiling = -_without(-units.floor, mine, there, np.inf), _without(units.ceiling, mine, there, np.inf)
    came = theirs[:, None, :]
    fits: Bools = (units.low[came] >= floor[:, :, None]) & (units.high[came] <= ceiling[:, :, None])
    fits &= (units.floor[came] <= low[:, :, None]) & (units.ceiling[came] >= high[:, :, None])
    fits &= (_regions_without(units, mine)[:, :, None] & units.regions[came]) != 0
    if rules.max_spread is not None:
        weakest = np.minimum(_without(units.weakest, mine, there, np.inf)[:, :, None], units.weakest[came])
        strongest = np.minimum(_without(-units.strongest, mine, there, np.inf)[:, :, None], -units.strongest[came])
        fits &= -strongest - weakest <= rules.max_spread
    return fits


def _without(column: Floats, lobbies: Ints, there: Bools, empty: float) -> Floats:
    """The least of a column over each lobby without the ticket at each place."""
    values = np.where(there, column[lobbies], empty)
    least = values.argmin(1)
    rows = np.arange(len(values))
    result = np.repeat(values[rows, least][:, None], values.shape[1], 1)
    values[rows, least] = empty
    result[rows, least] = values.min(1)
    return result


def _regions_without(units: Units, lobbies: Ints) -> Ints:
    """The regions good for each lobby without the ticket at each place."""
    bits = np.where(lobbies >= 0, units.regions[lobbies], -1)
    everything = np.full((len(bits), 1), -1)
    before = np.bitwise_and.accumulate(np.concatenate([everything, bits[:, :-1]], 1), axis=1)
    after = np.bitwise_and.accumulate(np.concatenate([everything, bits[:, :0:-1]], 1), axis=1)[:, ::-1]
    result: Ints = before & after
    return result
