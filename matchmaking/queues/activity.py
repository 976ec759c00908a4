"""How many people wait and play now, by mode: counts alone, so that nobody learns who waits or whom they get."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from matchmaking.queues.waits import find_crowds


@dataclass(frozen=True, slots=True)
class Activity:
    """Players who wait in a queue, and players in a match that all have accepted. Others decide just now."""

    waiting: int = 0
    playing: int = 0

    def __bool__(self) -> bool:
        return bool(self.waiting or self.playing)


def find_activity(now: dt.datetime) -> dict[int, Activity]:
    """Return the counts by the mode's id, without modes where nobody is."""
    counts = {mode: Activity(crowd.total, crowd.playing) for mode, crowd in find_crowds(now).items()}
    return {mode: activity for mode, activity in counts.items() if activity}


def find_activity_of_all(now: dt.datetime) -> Activity:
    """Return the counts over all modes."""
    counts = find_activity(now).values()
    return Activity(sum(mode.waiting for mode in counts), sum(mode.playing for mode in counts))
