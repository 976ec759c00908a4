"""Detects players who are behind when game servers fall silent, again and again: a loser who crashes servers.

Of each player's matches in the order of time, reported or not, the ones that were never reported speak for it, the
others against it. How often honest players lose matches like this is counted in the mode itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranking.abuse.detection._features import frequency_of_players, weigh
from ranking.abuse.detection.cases import MOST_MATCHES, AbuseHistory, Case
from ranking.abuse.detection.columns import heaviest_runs

KIND = "unreported"
CRASHES = 0.3  # under abuse: share of the player's matches that are never reported while the player is behind


def find(history: AbuseHistory) -> Iterator[Case]:
    columns, losses, threshold = history.columns, history.unreported, history.thresholds.score_of(KIND)
    if not losses:
        return
    player = np.r_[columns.player, [loss.player for loss in losses]].astype(np.int64)
    at = np.r_[columns.ended_at, [loss.silent_at.timestamp() for loss in losses]]
    lost = np.r_[np.zeros(len(columns), bool), np.ones(len(losses), bool)]
    usual = frequency_of_players(lost, np.ones_like(lost), player)
    order = np.lexsort((at, player))
    weight = np.where(lost, weigh(CRASHES, usual), weigh(1 - CRASHES, 1 - usual))[order]
    runs = heaviest_runs(player[order], weight)
    for index in np.flatnonzero(runs.score >= threshold):
        rows = order[runs.first[index] : runs.last[index] + 1]
        own = [losses[row - len(columns)] for row in rows.tolist() if row >= len(columns)]
        evidence = {
            "matches": [],
            "scores": [[loss.score, loss.best] for loss in own[-MOST_MATCHES:]],
            "unreported": [
                {"lobby": loss.lobby, "server": loss.server, "at": loss.silent_at.timestamp()}
                for loss in own[-MOST_MATCHES:]
            ],
            "count": len(own),
            "played": len(rows),
            "usual": round(usual * len(rows), 1),
            "since": own[0].silent_at.timestamp(),
            "until": own[-1].silent_at.timestamp(),
        }
        yield Case(KIND, (int(runs.segment[index]),), round(float(runs.score[index]), 2), evidence)
