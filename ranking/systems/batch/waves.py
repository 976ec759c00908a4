"""Waves: sets of matches that share no player, so that all matches of a wave can be rated at once.

A match comes in a later wave than every match that one of its players played before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Ints, spread
from ranking.systems.batch.history import History

BITS = 16  # NumPy sorts integers of 16 bits by radix, many times faster than larger ones


class Links(NamedTuple):
    """Links each participation to the same player's previous and next one."""

    players: Ints  # numbers of the players who play at all
    number: Ints  # by participation: the index in `players`
    previous: Ints  # by participation: the player's previous one; −1 for none
    next_match: Ints  # by participation: the match of the player's next one; the number of matches for none


class Waves(NamedTuple):
    """Matches in an order in which they can be rated, and for each the number of its wave."""

    matches: Ints
    wave: Ints


def links_of(history: History) -> Links:
    count = len(history.player)
    if not count:
        nothing = np.zeros(0, np.int32)
        return Links(nothing, nothing, nothing, nothing)
    order = order_of(history.player)
    short = order.astype(np.int32)  # half the memory to walk through
    ordered = history.player.take(order)
    match = np.repeat(np.arange(history.matches, dtype=np.int32), np.diff(history.match_starts)).take(order)
    same = ordered[1:] == ordered[:-1]
    previous, next_match, number = (np.empty(count, np.int32) for _ in range(3))
    previous[order[0]], next_match[order[-1]] = -1, history.matches
    previous[order[1:]] = np.where(same, short[:-1], -1)
    next_match[order[:-1]] = np.where(same, match[1:], history.matches)
    first = np.concatenate([[True], ~same])
    number[order] = np.cumsum(first, dtype=np.int32) - 1
    return Links(ordered[first], number, previous, next_match)


def order_of(numbers: Ints) -> Ints:
    """The indices that sort these numbers (0 or more) stably."""
    order = np.argsort(numbers.astype(np.uint16), kind="stable")  # by the lowest bits, then the next, …
    rest = numbers >> BITS
    while rest.any():
        order = order.take(np.argsort(rest.take(order).astype(np.uint16), kind="stable"))
        rest >>= BITS
    return order


def waves_of(history: History, links: Links) -> Waves:
    """Wave 0 holds the matches in which nobody has played before; a match follows the last wave of its players."""
    starts, sizes = history.match_starts, np.diff(history.match_starts)
    waiting = np.zeros(history.matches + 1, np.int64)  # by match: how many of its players have an earlier match to rate
    if history.matches:
        waiting[:-1] = np.add.reduceat(links.previous >= 0, starts[:-1], dtype=np.int64)
    waiting[-1] = np.iinfo(np.int64).max  # stands for "no next match", so it is never ready
    seen = np.empty(history.matches + 1, np.int64)
    even = history.matches > 0 and bool((sizes == sizes[0]).all())
    followers = links.next_match.reshape(history.matches, -1) if even else links.next_match
    waves = []
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        waves.append(ready)
        after = followers.take(ready, axis=0).ravel() if even else followers.take(spread(starts[ready], sizes[ready]))
        np.subtract.at(waiting, after, 1)
        ready = after[waiting.take(after) == 0]
        numbers = np.arange(len(ready))
        seen[ready] = numbers
        ready = ready[seen[ready] == numbers]  # each match once
    lengths = [len(wave) for wave in waves]
    return Waves(
        np.concatenate([*waves, np.zeros(0, np.int64)]).astype(np.int64), np.repeat(np.arange(len(waves)), lengths)
    )
