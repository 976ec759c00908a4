"""Detects de-levelling: a player loses on purpose, to meet weaker players later.

A loss has more weight if it was unlikely for the player's level until then, and still more if it looks thrown: the
player left fast, had a strongly negative score, or lost lopsidedly and quickly. If most losses are to one and the same
player, that player is being boosted, and this detector finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._features import chance_at, established, frequency, weigh
from ranking.abuse.detection._pairs import by_player, find_player_cases
from ranking.abuse.detection.cases import AbuseHistory, Case

KIND = "delevelling"
LOSES, THROWS = 0.95, 0.7  # under abuse: share of losses, share of thrown ones among them
MOST_TO_ONE = 0.5  # largest share of losses to one player


def find(history: AbuseHistory) -> Iterator[Case]:
    columns, features = history.columns, history.features
    order = by_player(columns)
    lost = columns.won[order] == 0
    thrown = (features.fled | features.negative | (features.lopsided & features.quick))[order] & lost
    chance = chance_at(columns, features, order, established(columns, order))
    result = np.where(lost, weigh(LOSES, 1 - chance), weigh(1 - LOSES, chance))
    usual = frequency(thrown, lost)
    manner = np.where(thrown, weigh(THROWS, usual), weigh(1 - THROWS, 1 - usual)) * lost

    def numbers(run: slice) -> dict[str, int | float]:
        rows = order[run]
        return {
            "lost": int(lost[run].sum()),
            "expected": round(float((1 - chance[run]).sum()), 1),
            "negative": int(features.negative[rows].sum()),
            "fled": int(features.fled[rows].sum()),
            "thrown": int(thrown[run].sum()),
            "fell": int(columns.before[rows[0]] - columns.after[rows[-1]]),
        }

    return find_player_cases(history, KIND, order, result=result, manner=manner, most=MOST_TO_ONE, numbers=numbers)
