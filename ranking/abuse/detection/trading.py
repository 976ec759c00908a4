"""Win trading: two accounts that win lopsidedly against each other, in turn.

Each of their meetings weighs by whether it was lopsided, whether the other one won than the time before, and whether
neither had played anybody else in between. In matches of teams it weighs as much less as there are others to beat.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection.cases import Case, History, evidence_of
from ranking.abuse.detection.columns import Bools, Floats, heaviest_runs
from ranking.abuse.detection.duels import Duels, duels_of
from ranking.abuse.detection.features import weigh

KIND = "trading"
TURNS = 0.7  # how often another one wins than the time before, where wins are traded
SHARE, LOPSIDED = 0.25, 0.5  # of the wins, what each has at least, and how many are lopsided


def find(history: History) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    duels = duels_of(history)
    won = columns.won[duels.low] == 1
    weight = (duels.manner + duels.again + _turns(duels, won)) * duels.share
    found = heaviest_runs(duels.pair, weight)
    for at in np.flatnonzero(found.score >= thresholds.score_of(KIND)):
        rows = slice(found.first[at], found.last[at] + 1)
        low, high = duels.low[rows], duels.high[rows]
        wins, others = int((columns.won[low] == 1).sum()), int((columns.won[high] == 1).sum())
        lopsided = int(duels.given[rows].sum())
        in_turn = min(wins, others) >= SHARE * (wins + others) and lopsided >= LOPSIDED * len(low)
        if len(low) < thresholds.meetings or not in_turn:
            continue
        yield Case(
            KIND,
            (int(columns.player[low[0]]), int(columns.player[high[0]])),
            round(float(found.score[at]), 2),
            evidence_of(
                columns, low,
                wins=[wins, others],
                lopsided=lopsided,
                turns=int((won[rows][1:] != won[rows][:-1]).sum()),
            ),
        )  # fmt: skip


def _turns(duels: Duels, won: Bools) -> Floats:
    """Did another one win than the time before?"""
    weight = np.zeros(len(won))
    follows = np.flatnonzero(duels.pair[1:] == duels.pair[:-1]) + 1
    chance = np.where(won[follows - 1], 1 - duels.chance[follows], duels.chance[follows])  # of another winner
    turned = won[follows] != won[follows - 1]
    weight[follows] = np.where(turned, weigh(TURNS, chance), weigh(1 - TURNS, 1 - chance))
    return weight
