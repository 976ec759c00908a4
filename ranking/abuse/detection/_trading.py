"""Detects win trading: two accounts win lopsidedly against each other, by turns or in runs.

A meeting has more weight if the two met again at once, if the win was lopsided, and if the order of the winners is less
like chance than like turns or runs. The totals may lean to one side, but both must win lopsidedly: if one player were
so much better, or were boosted by the other, the other would hardly ever win so. In matches of teams the weight of a
meeting is divided by the number of opponents.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._duels import PairDuels, duels_of, is_mutual
from ranking.abuse.detection._features import weigh
from ranking.abuse.detection.cases import AbuseHistory, Case, evidence_of
from ranking.abuse.detection.columns import Bools, Floats, Ints, heaviest_runs

KIND = "trading"
LOPSIDED = 0.5  # least share of lopsided meetings
RECENT = 8  # meetings that say whether the winner changes or stays


def find(history: AbuseHistory) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    duels = duels_of(history)
    won = columns.won[duels.low] == 1
    runs = heaviest_runs(duels.pair, (duels.manner + duels.again + _order(duels, won)) * duels.share)
    for at in np.flatnonzero(runs.score >= thresholds.score_of(KIND)):
        rows = slice(runs.first[at], runs.last[at] + 1)
        low, given = duels.low[rows], duels.given[rows]
        lopsided = [int((given & won[rows]).sum()), int((given & ~won[rows]).sum())]
        if len(low) < thresholds.meetings or sum(lopsided) < LOPSIDED * len(low) or not is_mutual(*lopsided):
            continue
        players = int(columns.player[low[0]]), int(columns.player[duels.high[rows][0]])
        numbers = {
            "wins": [int((columns.won[side[rows]] == 1).sum()) for side in (duels.low, duels.high)],
            "lopsided": lopsided,
            "usual_lopsided": round(float(duels.usual[rows].sum()), 1),
            "again": int(duels.met_again[rows].sum()),
            "usual_again": round(float(duels.usual_again * len(low)), 1),
            "turns": int((won[rows][1:] != won[rows][:-1]).sum()),
        }
        yield Case(KIND, players, round(float(runs.score[at]), 2), evidence_of(columns, low, **numbers))


def _order(duels: PairDuels, won: Bools) -> Floats:
    """By meeting: the weight of its winner if winners come by turns or in runs, against independent matches.

    By turns or in runs: the winner changes as often as in the pair's last meetings. Independent: the winner's chance by
    the ratings, or the share of the pair's meetings so far that this player won, whichever is greater. Both shares are
    Krichevsky and Trofimov's estimate, (k + ½) / (n + 1).
    """
    number = duels.number
    turned = (won != np.roll(won, 1)) & (number > 0)
    known = np.minimum(np.maximum(number - 1, 0), RECENT)
    turns = (_sum_before(turned, known) + 0.5) / (known + 1)
    wins = (_sum_before(won, number) + 0.5) / (number + 1)
    expected = np.where(turned, turns, 1 - turns)
    honest = np.where(won, np.maximum(duels.chance, wins), np.maximum(1 - duels.chance, 1 - wins))
    return np.where(number > 0, weigh(expected, honest), 0.0)


def _sum_before(true: Bools, counted: Ints) -> Ints:
    """How many of the `counted` rows before each row are True."""
    sums: Ints = np.r_[0, np.cumsum(true)]
    rows = np.arange(len(true))
    before: Ints = sums[rows] - sums[rows - counted]
    return before
