"""Boosting: an account that owes its rating to another one.

Either an opponent from whom a large share of its gains comes: each meeting weighs by how unlikely the win was for what
both are by now, whether it was lopsided or the other one fled, and whether they met again at once. Or one who leaves
fast in the matches that it gains by, on either side.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection.cases import Case, History, evidence_of
from ranking.abuse.detection.columns import Columns, Ints, heaviest_runs
from ranking.abuse.detection.duels import duels_of
from ranking.abuse.detection.features import frequency, weigh
from ranking.abuse.detection.pairs import Meetings, meetings_of

KIND = "boosting"
WINS, LEAVES = 0.95, 0.6  # how often who is boosted wins, and a booster who leaves has left


def find(history: History) -> Iterator[Case]:
    met = meetings_of(history, min(history.thresholds.meetings, history.thresholds.matches))
    gains = _gains(history.columns)
    yield from _by_opponent(history, met, gains)
    yield from _by_leaver(history, met, gains)


def _gains(columns: Columns) -> dict[int, int]:
    """What each player has gained in all the matches that they gained by."""
    players, index = np.unique(columns.player, return_inverse=True)
    sums = np.bincount(index, weights=np.maximum(0, columns.after - columns.before), minlength=len(players))
    return dict(zip(players.tolist(), sums.astype(np.int64).tolist(), strict=True))


def _by_opponent(history: History, met: Meetings, gains: dict[int, int]) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    duels = duels_of(history, met)
    for own, other, chance in ((duels.low, duels.high, duels.chance), (duels.high, duels.low, 1 - duels.chance)):
        won = columns.won[own] == 1
        result = np.where(won, weigh(WINS, chance), weigh(1 - WINS, 1 - chance))
        weight = (result + duels.manner * won + duels.again) * duels.share
        found = heaviest_runs(duels.pair, weight)
        gained = np.maximum(0, columns.after[own] - columns.before[own]) * duels.share
        for at in np.flatnonzero(found.score >= thresholds.score_of(KIND)):
            rows = slice(found.first[at], found.last[at] + 1)
            booster = int(columns.player[other[rows][0]])
            if len(own[rows]) >= thresholds.meetings and won[rows].mean() > 0.75:
                numbers = {"by": "opponent", "won": int(won[rows].sum()), "lopsided": int(duels.given[rows].sum())}
                yield from _case(history, own[rows], booster, found.score[at], gained[rows].sum(), gains, numbers)


def _by_leaver(history: History, met: Meetings, gains: dict[int, int]) -> Iterator[Case]:
    columns, features, thresholds = history.columns, history.features, history.thresholds
    usual = frequency(features.fled, np.ones(len(columns), bool))
    for own, other in ((met.low, met.high), (met.high, met.low)):
        helped = features.fled[other] & (columns.after[own] > columns.before[own])
        weight = np.where(helped, weigh(LEAVES, usual), weigh(1 - LEAVES, 1 - usual))
        found = heaviest_runs(met.pair, weight)
        gained = np.where(helped, columns.after[own] - columns.before[own], 0)
        for at in np.flatnonzero(found.score >= thresholds.score_of(KIND)):
            rows = slice(found.first[at], found.last[at] + 1)
            booster = int(columns.player[other[rows][0]])
            if np.count_nonzero(helped[rows]) >= thresholds.matches:
                numbers = {"by": "leaver", "fled": int(helped[rows].sum())}
                yield from _case(history, own[rows], booster, found.score[at], gained[rows].sum(), gains, numbers)


def _case(
    history: History,
    rows: Ints,
    booster: int,
    score: float,
    gained: float,
    gains: dict[int, int],
    numbers: dict[str, object],
) -> Iterator[Case]:
    """A case, if the gains are a large enough share of all of theirs."""
    columns = history.columns
    boosted = int(columns.player[rows[0]])
    share = gained / max(1, gains[boosted])
    if share >= history.thresholds.share:
        said = evidence_of(columns, rows, gained=int(gained), share=round(float(share), 3), **numbers)
        yield Case(KIND, (boosted, booster), round(float(score), 2), said)
