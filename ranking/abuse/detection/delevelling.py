"""De-levelling: falling on purpose, to meet weaker players. Losing far below expectation, or leaving fast, or runs of
strongly negative scores.

A loss weighs by how unlikely it was for the level that the player had until then, and more where it was thrown: left
fast, with a strongly negative score, or lopsided and quick. Where most losses are to one and the same player it is that
one's boosting.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection.cases import Case, History, evidence_of
from ranking.abuse.detection.features import chance_at, established, frequency, weigh
from ranking.abuse.detection.pairs import by_player, find_lone

KIND = "delevelling"
LOSES, THROWS = 0.95, 0.7  # how often who de-levels loses, and throws what they lose
MOST_TO_ONE = 0.5


def find(history: History) -> Iterator[Case]:
    columns, features = history.columns, history.features
    order = by_player(columns)
    lost = columns.won[order] == 0
    thrown = (features.fled | features.negative | (features.lopsided & features.quick))[order] & lost
    chance = chance_at(columns, features, order, established(columns, order))
    result = np.where(lost, weigh(LOSES, 1 - chance), weigh(1 - LOSES, chance))
    usual = frequency(thrown, lost)
    manner = np.where(thrown, weigh(THROWS, usual), weigh(1 - THROWS, 1 - usual)) * lost
    weights = {"results": result, "manner": result + manner}
    for one in find_lone(history, KIND, order, weights, most=MOST_TO_ONE):
        rows, of = one.rows, order[one.rows]
        yield Case(
            KIND,
            (one.player,),
            one.score,
            evidence_of(
                columns, of, by=one.by,
                lost=int(lost[rows].sum()),
                expected=round(float((1 - chance[rows]).sum()), 1),
                negative=int(features.negative[of].sum()),
                fled=int(features.fled[of].sum()),
                thrown=int(thrown[rows].sum()),
                fell=int(columns.before[of[0]] - columns.after[of[-1]]),
            ),
        )  # fmt: skip
