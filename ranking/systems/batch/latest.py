"""When each player last played, in columns: what idle days are counted from."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Ints

_BITS = 32


def latest_before(player: Ints, ended_at: Ints, known: Ints) -> Ints:
    """By participation, in order: the latest end among the player's earlier ones, `known` (by player) included."""
    if not len(player):
        return ended_at
    moments, rank = np.unique(ended_at, return_inverse=True)
    order = np.argsort(player, kind="stable")
    who = player[order]
    first = np.concatenate([[True], who[1:] != who[:-1]])
    number = np.cumsum(first) - 1
    # The player's number above, the rank of the moment below: the running maximum starts anew with each player.
    latest = moments[np.maximum.accumulate((number << _BITS) | rank.reshape(-1)[order]) & ((1 << _BITS) - 1)]
    before = known[player]
    later = order[~first]
    before[later] = np.maximum(before[later], latest[np.flatnonzero(~first) - 1])
    return before
