"""How many people wait and play now, by mode: counts alone, so that nobody learns who waits or whom they get."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count, Q

from matchmaking import lifecycle
from matchmaking.models import TicketMember
from matchmaking.queues.waits import FRESH_FOR

PLAYING = (lifecycle.READY, lifecycle.LIVE)  # states of a lobby from the last accept to the result


@dataclass(frozen=True, slots=True)
class Activity:
    """Players who wait in a queue, and players in a match that all have accepted. Others decide just now."""

    waiting: int = 0
    playing: int = 0

    def __bool__(self) -> bool:
        return bool(self.waiting or self.playing)


def find_activity(now: dt.datetime) -> Mapping[int, Activity]:
    """Return the counts by the mode's id, without modes where nobody is. One query for all, every FRESH_FOR seconds."""
    return _activity(int(now.timestamp() // FRESH_FOR))


def find_activity_of_all(now: dt.datetime) -> Activity:
    """Return the counts over all modes."""
    counts = find_activity(now).values()
    return Activity(sum(mode.waiting for mode in counts), sum(mode.playing for mode in counts))


@lru_cache(maxsize=4)
def _activity(_period: int) -> dict[int, Activity]:
    live = TicketMember.objects.filter(live=True).order_by().values_list("ticket__queue__mode")
    counted = live.annotate(
        waiting=Count("id", filter=Q(ticket__state=lifecycle.WAITING)),
        playing=Count("id", filter=Q(ticket__lobby__state__in=PLAYING)),
    )
    return {mode: Activity(waiting, playing) for mode, waiting, playing in counted if waiting or playing}
