"""Detects win trading: two accounts win lopsidedly against each other, in turn.

A meeting has more weight if it was lopsided, if the winner changed, and if neither player had played anybody else in
between. In matches of teams its weight is divided by the number of opponents.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection.cases import AbuseHistory, Case, evidence_of
from ranking.abuse.detection.columns import Bools, Floats, heaviest_runs
from ranking.abuse.detection.duels import PairDuels, duels_of
from ranking.abuse.detection.features import weigh

KIND = "trading"
TURNS = 0.7  # under abuse: share of meetings in which the winner changes
SHARE, LOPSIDED = 0.25, 0.5  # least share of wins of each player, least share of lopsided meetings


def find(history: AbuseHistory) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    duels = duels_of(history)
    won = columns.won[duels.low] == 1
    weight = (duels.manner + duels.again + _turns(duels, won)) * duels.share
    runs = heaviest_runs(duels.pair, weight)
    for at in np.flatnonzero(runs.score >= thresholds.score_of(KIND)):
        rows = slice(runs.first[at], runs.last[at] + 1)
        low, high = duels.low[rows], duels.high[rows]
        wins, others = int((columns.won[low] == 1).sum()), int((columns.won[high] == 1).sum())
        lopsided = int(duels.given[rows].sum())
        in_turn = min(wins, others) >= SHARE * (wins + others) and lopsided >= LOPSIDED * len(low)
        if len(low) < thresholds.meetings or not in_turn:
            continue
        yield Case(
            KIND,
            (int(columns.player[low[0]]), int(columns.player[high[0]])),
            round(float(runs.score[at]), 2),
            evidence_of(
                columns, low,
                wins=[wins, others],
                lopsided=lopsided,
                turns=int((won[rows][1:] != won[rows][:-1]).sum()),
            ),
        )  # fmt: skip


def _turns(duels: PairDuels, won: Bools) -> Floats:
    """By meeting: the weight of the winner's change, or of its absence."""
    weight = np.zeros(len(won))
    follows = np.flatnonzero(duels.pair[1:] == duels.pair[:-1]) + 1
    chance = np.where(won[follows - 1], 1 - duels.chance[follows], duels.chance[follows])  # of another winner
    turned = won[follows] != won[follows - 1]
    weight[follows] = np.where(turned, weigh(TURNS, chance), weigh(1 - TURNS, 1 - chance))
    return weight
