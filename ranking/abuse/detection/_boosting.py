"""Detects boosting: an account that owes its rating to another one.

The booster is either an opponent from whom a large share of the gains comes, or a player on either side who leaves fast
in the matches that the account gains by. A meeting with an opponent has more weight if the win was unlikely for both
players' levels, if it was lopsided or the opponent fled, and if the two met again at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._duels import BOOSTED, duels_of, is_mutual
from ranking.abuse.detection._features import frequency, weigh
from ranking.abuse.detection._pairs import Meetings, meetings_of
from ranking.abuse.detection.cases import AbuseHistory, Case, evidence_of
from ranking.abuse.detection.columns import Columns, Ints, heaviest_runs

KIND = "boosting"
LEAVES = 0.6  # under abuse: share of matches that a booster leaves


def find(history: AbuseHistory) -> Iterator[Case]:
    meetings = meetings_of(history, min(history.thresholds.meetings, history.thresholds.matches))
    gains = _gains(history.columns)
    yield from _by_opponent(history, meetings, gains)
    yield from _by_leaver(history, meetings, gains)


def _gains(columns: Columns) -> dict[int, int]:
    """The sum of each player's gains, in hundredths."""
    players, index = np.unique(columns.player, return_inverse=True)
    sums = np.bincount(index, weights=np.maximum(0, columns.after - columns.before), minlength=len(players))
    return dict(zip(players.tolist(), sums.astype(np.int64).tolist(), strict=True))


def _by_opponent(history: AbuseHistory, meetings: Meetings, gains: dict[int, int]) -> Iterator[Case]:
    columns, thresholds = history.columns, history.thresholds
    duels = duels_of(history, meetings)
    for own, other, chance in ((duels.low, duels.high, duels.chance), (duels.high, duels.low, 1 - duels.chance)):
        won = columns.won[own] == 1
        result = np.where(won, weigh(BOOSTED, chance), weigh(1 - BOOSTED, 1 - chance))
        weight = (result + duels.manner * won + duels.again) * duels.share
        runs = heaviest_runs(duels.pair, weight)
        gained = np.maximum(0, columns.after[own] - columns.before[own]) * duels.share
        for at in np.flatnonzero(runs.score >= thresholds.score_of(KIND)):
            rows = slice(runs.first[at], runs.last[at] + 1)
            booster = int(columns.player[other[rows][0]])
            given = duels.given[rows]
            by_turns = is_mutual(int((given & won[rows]).sum()), int((given & ~won[rows]).sum()))  # win trading
            if len(own[rows]) >= thresholds.meetings and won[rows].mean() > 0.75 and not by_turns:
                numbers = {"by": "opponent", "won": int(won[rows].sum()), "lopsided": int(given.sum())}
                yield from _case(history, own[rows], booster, runs.score[at], gained[rows].sum(), gains, numbers)


def _by_leaver(history: AbuseHistory, meetings: Meetings, gains: dict[int, int]) -> Iterator[Case]:
    columns, features, thresholds = history.columns, history.features, history.thresholds
    usual = frequency(features.fled, np.ones(len(columns), bool))
    for own, other in ((meetings.low, meetings.high), (meetings.high, meetings.low)):
        helped = features.fled[other] & (columns.after[own] > columns.before[own])
        weight = np.where(helped, weigh(LEAVES, usual), weigh(1 - LEAVES, 1 - usual))
        runs = heaviest_runs(meetings.pair, weight)
        gained = np.where(helped, columns.after[own] - columns.before[own], 0)
        for at in np.flatnonzero(runs.score >= thresholds.score_of(KIND)):
            rows = slice(runs.first[at], runs.last[at] + 1)
            booster = int(columns.player[other[rows][0]])
            if np.count_nonzero(helped[rows]) >= thresholds.matches:
                numbers = {"by": "leaver", "fled": int(helped[rows].sum())}
                yield from _case(history, own[rows], booster, runs.score[at], gained[rows].sum(), gains, numbers)


def _case(
    history: AbuseHistory,
    rows: Ints,
    booster: int,
    score: float,
    gained: float,
    gains: dict[int, int],
    numbers: dict[str, object],
) -> Iterator[Case]:
    """Yield a case if these gains are a large enough share of all gains of the boosted player."""
    columns = history.columns
    boosted = int(columns.player[rows[0]])
    share = gained / max(1, gains[boosted])
    if share >= history.thresholds.share:
        evidence = evidence_of(columns, rows, gained=int(gained), share=round(float(share), 3), **numbers)
        yield Case(KIND, (boosted, booster), round(float(score), 2), evidence)
