"""Finds pairs of players who met often, with all their meetings, and heavy runs of single players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ranking.abuse.detection._features import DOUBT, Features
from ranking.abuse.detection.cases import AbuseHistory, Case, evidence_of
from ranking.abuse.detection.columns import Bools, Columns, Floats, Ints, heaviest_runs

MOST_PLAYERS = 24  # in larger matches one other player matters little, and there are too many pairs
_HOUR = 3_600.0
_BLOCK = 200_000  # pairs of rows in memory at once


@dataclass(frozen=True, slots=True)
class Meetings:
    """Rows of two players in one match, sorted by pair and then by history; `low`: the player with the lower id.

    `pair`: a number for each pair; `foes`: True for opponents; `again`: True if both also played their previous match
    with each other, which ended at most an hour before this one began; `usual_again`: the frequency of that among all
    opponents.
    """

    pair: Ints
    low: Ints
    high: Ints
    foes: Bools
    again: Bools
    usual_again: float


def meetings_of(history: AbuseHistory, least: int) -> Meetings:
    """All meetings of the pairs that met at least `least` times."""
    columns, features = history.columns, history.features
    ids, dense = np.unique(columns.player, return_inverse=True)
    keys = [_keys(dense, rows, others, len(ids)) for rows, others in _blocks(features)]
    pairs, counts = np.unique(np.concatenate([np.empty(0, np.int64), *keys]), return_counts=True)
    often = pairs[counts >= least]
    previous = _previous(columns, features)
    kept: list[tuple[Ints, Ints, Ints]] = [(np.empty(0, np.int64),) * 3]
    met_again, met = 0, 0
    for (rows, others), key in zip(_blocks(features), keys, strict=True):
        there = np.isin(key, often)
        kept.append((key[there], rows[there], others[there]))
        foes = columns.team[rows] != columns.team[others]
        met += int(np.count_nonzero(foes))
        met_again += int(np.count_nonzero(foes & _met_again(columns, features, previous, rows, others)))
    key, rows, others = (np.concatenate(part) for part in zip(*kept, strict=True))
    order = np.lexsort((rows, key))
    key, rows, others = key[order], rows[order], others[order]
    swap = columns.player[rows] > columns.player[others]
    low, high = np.where(swap, others, rows), np.where(swap, rows, others)
    again = _met_again(columns, features, previous, low, high)
    foes = columns.team[low] != columns.team[high]
    return Meetings(key, low, high, foes, again, (met_again + 1) / (met + DOUBT))


def _blocks(features: Features) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of rows of one match, by the size of the match, in blocks."""
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
    """The index of the previous match of each row's player; −1 if there is none."""
    order = by_player(columns)
    previous = np.full(len(columns), -1, np.int64)
    follows = np.flatnonzero(columns.player[order][1:] == columns.player[order][:-1])
    previous[order[follows + 1]] = features.index[order[follows]]
    return previous


def _met_again(columns: Columns, features: Features, previous: Ints, rows: Ints, others: Ints) -> Bools:
    """True for meetings of players whose previous match was with each other, and ended at most an hour before."""
    begun = columns.ended_at[rows] - np.nan_to_num(columns.duration[rows])
    together = (previous[rows] == previous[others]) & (previous[rows] >= 0)
    soon: Bools = together & (begun - columns.ended_at[features.starts[previous[rows]]] <= _HOUR)
    return soon


def by_player(columns: Columns) -> Ints:
    """The rows sorted by player, and then in the order of history."""
    return np.argsort(columns.player, kind="stable")


def numbers_of(columns: Columns) -> Ints:
    """The number of each row among its player's matches, from 0."""
    order = by_player(columns)
    player = columns.player[order]
    starts = np.flatnonzero(np.r_[True, player[1:] != player[:-1]])[: len(player)]
    numbers = np.empty(len(player), np.int64)
    numbers[order] = np.arange(len(player)) - np.repeat(starts, np.diff(np.r_[starts, len(player)]))
    return numbers


def most_met(columns: Columns, features: Features, rows: Ints) -> float:
    """The largest share of a player's matches against one opponent; only matches of two players count."""
    two = rows[features.players[features.index[rows]] == 2]
    if not len(two):
        return 0.0
    first = features.starts[features.index[two]]
    others = columns.player[np.where(two == first, first + 1, first)]
    return float(np.unique(others, return_counts=True)[1].max()) / len(rows)


def find_player_cases(
    history: AbuseHistory,
    kind: str,
    order: Ints,
    *,
    result: Floats,
    manner: Floats,
    most: float,
    numbers: Callable[[slice], dict[str, int | float]],
) -> Iterator[Case]:
    """Yield a case for each run of a player's matches that is long and heavy enough for the kind.

    `order`: rows by player and then in the order of history. Runs are sought twice, in the weights `result` and in
    `result` + `manner`. A run doesn't count if a share above `most` of it is against one opponent. `numbers`: the
    kind's own numbers about a run of the order.
    """
    columns, thresholds = history.columns, history.thresholds
    for by, weight in (("results", result), ("manner", result + manner)):
        runs = heaviest_runs(columns.player[order], weight)
        long = runs.last - runs.first + 1 >= thresholds.matches
        for at in np.flatnonzero((runs.score >= thresholds.score_of(kind)) & long):
            run = slice(runs.first[at], runs.last[at] + 1)
            if most_met(columns, history.features, order[run]) <= most:
                evidence = evidence_of(columns, order[run], by=by, **numbers(run))
                yield Case(kind, (int(runs.segment[at]),), round(float(runs.score[at]), 2), evidence)
