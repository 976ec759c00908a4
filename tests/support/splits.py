"""Lobbies split into teams by the matcher."""

import numpy as np

from matchmaking.matcher._splits import split_lobbies
from matchmaking.matcher.pool import make_pool, units_at
from tests.support.tickets import NOW


def split(rules, *tickets):
    """The sides by name, and the difference."""
    pool = make_pool(tickets)
    lobby = np.full((1, rules.players), -1)
    lobby[0, : len(pool)] = np.arange(len(pool))
    lobbies, sides, difference = split_lobbies(units_at(pool, rules, NOW), lobby, rules)
    places = zip(lobbies[0], sides[0], strict=True)
    return {pool.ids[place]: int(side) for place, side in places if place >= 0}, float(difference[0])
