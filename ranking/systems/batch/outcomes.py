"""How matches ended for those who played them, in columns (see ../rules.py for places)."""

from __future__ import annotations

import numpy as np

from ranking.systems.batch.columns import Ints
from ranking.systems.batch.history import History

WON, DREW, LOST, LEFT = range(4)


def outcomes_of(history: History) -> Ints:
    """By participation. Alone in first place won, first together drew; a team of which everyone left comes last."""
    place = np.where(history.place > 0, history.place, -history.score)
    of_match = np.repeat(np.arange(history.matches), np.diff(history.team_starts))
    if not len(place):
        return np.zeros(0, np.int64)
    starts = history.team_starts[:-1]
    gone = np.logical_and.reduceat(history.left_early, history.starts[:-1])
    place = np.where(gone, np.maximum.reduceat(place, starts)[of_match] + 1, place)
    first = place == np.minimum.reduceat(place, starts)[of_match]
    alone = np.add.reduceat(first, starts, dtype=np.int64)[of_match] == 1
    outcomes = np.where(first, np.where(alone, WON, DREW), LOST)
    return np.where(history.left_early, LEFT, np.repeat(outcomes, np.diff(history.starts)))
