"""Weighs each meeting of two opponents, for the kinds of abuse that concern pairs."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

import numpy as np

from ranking.abuse.detection._features import chance_at, established, frequency, weigh
from ranking.abuse.detection._pairs import Meetings, by_player, meetings_of
from ranking.abuse.detection.cases import AbuseHistory
from ranking.abuse.detection.columns import Bools, Floats, Ints

GIVEN, REPEATED = 0.8, 0.7  # under abuse: share of lopsided wins, share of meetings that follow at once
BOOSTED = 0.95  # share of wins of a boosted player
MUTUAL = 2.0  # least weight of lopsided wins in both directions, against boosting
_BINS = np.array([0.6, 0.7, 0.8, 0.9])  # bounds of the favourite's chance


@dataclass(frozen=True, slots=True)
class PairDuels:
    """Meetings of opponents who met often enough, sorted by pair; `low`: the row of the player with the lower id.

    `number`: how many meetings the pair had had before.
    `given`: True if the win was lopsided or the loser fled; `usual`: how often it is so among such unequal players;
    `manner`: the weight of that; `met_again`: True if the two met again at once; `usual_again`: how often opponents do;
    `again`: the weight of that; `share`: 1 / the number of opponents in the match.
    """

    pair: Ints
    number: Ints
    low: Ints
    high: Ints
    chance: Floats
    given: Bools
    usual: Floats
    manner: Floats
    met_again: Bools
    usual_again: float
    again: Floats
    share: Floats


def duels_of(history: AbuseHistory, meetings: Meetings | None = None) -> PairDuels:
    columns, features = history.columns, history.features
    met = meetings_of(history, history.thresholds.meetings) if meetings is None else meetings
    low, high = met.low[met.foes], met.high[met.foes]
    order, level = by_player(columns), np.empty(len(columns))
    level[order] = established(columns, order)
    higher = (level[high] - columns.before[high]) / np.maximum(1, features.size[high])
    chance = chance_at(columns, features, low, level[low], higher)
    decided = (columns.won[low] == 1) != (columns.won[high] == 1)
    lost = np.where(columns.won[low] == 1, high, low)
    given = decided & (features.lopsided[low] | features.fled[lost])
    usual = _usual_manner(history)[_inequality(chance)]
    manner = np.where(given, weigh(GIVEN, usual), weigh(1 - GIVEN, 1 - usual))
    pair, again = met.pair[met.foes], met.again[met.foes]
    number = _numbers(pair)
    repeated = np.where(again, weigh(REPEATED, met.usual_again), weigh(1 - REPEATED, 1 - met.usual_again))
    return PairDuels(
        pair=pair,
        number=number,
        low=low,
        high=high,
        chance=chance,
        given=given,
        usual=usual,
        manner=np.where(decided, manner, -1.0),
        met_again=again,
        usual_again=met.usual_again,
        again=repeated * (number > 0),
        share=1 / np.maximum(1, np.maximum(features.foes[low], features.foes[high])),
    )


def _numbers(pair: Ints) -> Ints:
    """The number of each row among those of its pair, from 0, for rows sorted by pair."""
    rows = np.arange(len(pair))
    return rows - np.maximum.accumulate(np.where(np.r_[True, pair[1:] != pair[:-1]][: len(pair)], rows, 0))


def is_mutual(one: int, other: int) -> bool:
    """True if two players' lopsided wins over each other are too evenly shared for one player to be boosted.

    Their own split has to be a hundred times likelier than that of a boosted player, who wins 95 % of them.
    """
    most, least = max(one, other), min(one, other)
    if not least:
        return False
    share = most / (most + least)
    return most * log10(share / BOOSTED) + least * log10((1 - share) / (1 - BOOSTED)) >= MUTUAL


def _inequality(chance: Floats) -> Ints:
    return np.digitize(np.maximum(chance, 1 - chance), _BINS)


def _usual_manner(history: AbuseHistory) -> Floats:
    """By bin of inequality: the share of wins that look given in the whole history."""
    columns, features = history.columns, history.features
    won, unequal = columns.won == 1, _inequality(features.chance)
    fled = frequency(features.fled, columns.won == 0)
    shares = [frequency(features.lopsided, won & (unequal == part)) for part in range(len(_BINS) + 1)]
    return np.minimum(0.9, np.array(shares) + fled)
