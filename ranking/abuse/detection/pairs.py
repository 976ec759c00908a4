"""Pairs of players who met often, and each of their meetings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ranking.abuse.detection.cases import History
from ranking.abuse.detection.columns import Bools, Columns, Floats, Ints, heaviest_runs
from ranking.abuse.detection.features import DOUBT, Features

MOST_PLAYERS = 24  # in larger matches one other's doings are worth little, and there are too many pairs
_BLOCK = 200_000  # pairs of rows in hand at once


@dataclass(frozen=True, slots=True)
class Meetings:
    """Rows of two players in one match, sorted by pair and then in the order of history; `low` has the lesser id.

    `pair` tells pairs apart; `again`: both had played their match before with each other, too. `usual_again`: how often
    any two opponents had.
    """

    pair: Ints
    low: Ints
    high: Ints
    foes: Bools
    again: Bools
    usual_again: float


def meetings_of(history: History, least: int) -> Meetings:
    """All meetings of those pairs that met at least so often."""
    columns, features = history.columns, history.features
    ids, dense = np.unique(columns.player, return_inverse=True)
    keys = [_keys(dense, rows, others, len(ids)) for rows, others in _blocks(features)]
    every, counts = np.unique(np.concatenate([np.empty(0, np.int64), *keys]), return_counts=True)
    often = every[counts >= least]
    previous = _previous(columns, features)
    kept: list[tuple[Ints, Ints, Ints]] = [(np.empty(0, np.int64),) * 3]
    met_again, met = 0, 0
    for (rows, others), key in zip(_blocks(features), keys, strict=True):
        there = np.isin(key, often)
        kept.append((key[there], rows[there], others[there]))
        foes = columns.team[rows] != columns.team[others]
        met += int(np.count_nonzero(foes))
        met_again += int(np.count_nonzero(foes & (previous[rows] == previous[others]) & (previous[rows] >= 0)))
    key, rows, others = (np.concatenate(part) for part in zip(*kept, strict=True))
    order = np.lexsort((rows, key))
    key, rows, others = key[order], rows[order], others[order]
    swap = columns.player[rows] > columns.player[others]
    low, high = np.where(swap, others, rows), np.where(swap, rows, others)
    again = (previous[low] == previous[high]) & (previous[low] >= 0)
    foes = columns.team[low] != columns.team[high]
    return Meetings(key, low, high, foes, again, (met_again + 1) / (met + DOUBT))


def _blocks(features: Features) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of rows of one match, by the size of the match, some thousands at once."""
    for size in np.unique(features.players[features.players <= MOST_PLAYERS]):
        left, right = np.triu_indices(size, 1)
        starts = features.starts[features.players == size]
        some = max(1, _BLOCK // max(1, len(left)))
        for at in range(0, len(starts) if len(left) else 0, some):
            block = starts[at : at + some, None]
            yield (block + left).ravel(), (block + right).ravel()


def _keys(dense: Ints, rows: Ints, others: Ints, players: int) -> Ints:
    one, other = dense[rows], dense[others]
    return np.minimum(one, other) * np.int64(players) + np.maximum(one, other)


def _previous(columns: Columns, features: Features) -> Ints:
    """The match that each row's player had played before, counted from 0; −1 where it is their first."""
    order = by_player(columns)
    previous = np.full(len(columns), -1, np.int64)
    follows = np.flatnonzero(columns.player[order][1:] == columns.player[order][:-1])
    previous[order[follows + 1]] = features.index[order[follows]]
    return previous


def by_player(columns: Columns) -> Ints:
    """Rows sorted by player, each one's in the order of history."""
    return np.argsort(columns.player, kind="stable")


def numbers_of(columns: Columns) -> Ints:
    """Which of their player's matches each row is, from 0."""
    order = by_player(columns)
    player = columns.player[order]
    starts = np.flatnonzero(np.r_[True, player[1:] != player[:-1]])[: len(player)]
    numbers = np.empty(len(player), np.int64)
    numbers[order] = np.arange(len(player)) - np.repeat(starts, np.diff(np.r_[starts, len(player)]))
    return numbers


def most_met(columns: Columns, features: Features, rows: Ints) -> float:
    """Of these matches of a player, the share against one and the same other; 0 where matches have more than two."""
    two = rows[features.players[features.index[rows]] == 2]
    if not len(two):
        return 0.0
    first = features.starts[features.index[two]]
    others = columns.player[np.where(two == first, first + 1, first)]
    return float(np.unique(others, return_counts=True)[1].max()) / len(rows)


@dataclass(frozen=True, slots=True)
class Lone:
    """A player whose stretch [rows of an order] weighs enough, by which weights."""

    by: str
    player: int
    score: float
    rows: slice


def find_lone(
    history: History, kind: str, order: Ints, weights: Mapping[str, Floats], *, most: float
) -> Iterator[Lone]:
    """Players with a stretch long and heavy enough for the kind; not those who met one other more than `most` of it.

    `order`: rows by player and then in the order of history; `weights` of these, by name.
    """
    columns, thresholds = history.columns, history.thresholds
    for by, weight in weights.items():
        found = heaviest_runs(columns.player[order], weight)
        long = found.last - found.first + 1 >= thresholds.matches
        for at in np.flatnonzero((found.score >= thresholds.score_of(kind)) & long):
            rows = slice(found.first[at], found.last[at] + 1)
            if most_met(columns, history.features, order[rows]) <= most:
                yield Lone(by, int(found.segment[at]), round(float(found.score[at]), 2), rows)
