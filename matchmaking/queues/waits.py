"""Who waits in a queue and who plays, and how long a ticket may wait: estimated from the waits of tickets matched last.

A process keeps what it has read for some seconds.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count, OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy as _

from matchmaking import lifecycle
from matchmaking.models import Formed, Queue, TicketMember
from matchmaking.server_failures import is_rested
from matchmaking.servers import count_idle, online_servers

AT_PLAY = (lifecycle.READY, lifecycle.LIVE)  # states of a lobby from the last accept to the result
FEWEST = 5  # an estimate needs so many waits
FRESH_FOR = 2  # seconds that a process goes on with what it has read
MATCHES = 200  # waits are estimated from so many matches, those formed last
NEAR = 10  # similar tickets are at most so many percentiles away


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long tickets waited, in seconds: half of them at most `typical`, eight of ten from `low` to `high`.

    `of`: how many tickets it is estimated from.
    """

    typical: int
    low: int
    high: int
    of: int


def estimate(waits: Sequence[float]) -> Estimate | None:
    """Estimate the next wait from these waits, in seconds. None if they are too few."""
    if len(waits) < FEWEST:
        return None
    ordered = sorted(waits)

    def quantile(share: float) -> int:
        """By linear interpolation between neighbours."""
        place = share * (len(ordered) - 1)
        before = int(place)
        after = min(before + 1, len(ordered) - 1)
        return round(ordered[before] + (ordered[after] - ordered[before]) * (place - before))

    return Estimate(typical=quantile(0.5), low=quantile(0.1), high=quantile(0.9), of=len(ordered))


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many players wait in a queue, `counts[p]` at percentile p, and how many are in a match that all accepted."""

    counts: tuple[int, ...]
    playing: int

    @property
    def total(self) -> int:
        """How many wait."""
        return sum(self.counts)

    def within(self, low: float, high: float) -> int:
        """How many wait from percentile `low` to `high`, both inclusive."""
        return sum(count for percentile, count in enumerate(self.counts) if low <= percentile <= high)


_NOBODY = Crowd((0,) * 101, 0)


def find_crowd(queue: Queue, now: dt.datetime) -> Crowd:
    """Who waits in a queue, and who plays."""
    return find_crowds(now).get(queue.mode_id, _NOBODY)


def find_crowds(now: dt.datetime) -> Mapping[int, Crowd]:
    """The crowds of all queues by the mode's id; one where nobody is may be missing. One query, every FRESH_FOR
    seconds.
    """
    return _crowds(int(now.timestamp() // FRESH_FOR))


@lru_cache(maxsize=4)
def _crowds(_period: int) -> dict[int, Crowd]:
    live = TicketMember.objects.filter(live=True).order_by().values_list("ticket__queue__mode", "percentile")
    counted = live.annotate(
        waiting=Count("id", filter=Q(ticket__state=lifecycle.WAITING)),
        playing=Count("id", filter=Q(ticket__lobby__state__in=AT_PLAY)),
    )
    waiting: dict[int, list[int]] = {}
    playing: Counter[int] = Counter()
    for mode, percentile, waits, plays in counted:
        waiting.setdefault(mode, [0] * 101)[percentile] = waits
        playing[mode] += plays
    return {mode: Crowd(tuple(column), playing[mode]) for mode, column in waiting.items()}


def estimate_wait(queue_id: int, percentile: float, size: int, now: dt.datetime) -> Estimate | None:
    """Estimate the wait of a ticket from tickets of its size near its percentile; if they are few, of its size."""
    waits = _waits(queue_id, int(now.timestamp() // (5 * FRESH_FOR)))
    same_size = [wait for _, players, wait in waits if players == size]
    near = [wait for at, players, wait in waits if players == size and abs(at - percentile) <= NEAR]
    return estimate(near) or estimate(same_size)


@lru_cache(maxsize=256)
def _waits(queue_id: int, _period: int) -> tuple[tuple[float, int, float], ...]:
    """Percentile, size and wait of each ticket in the matches formed last."""
    rows = Formed.objects.filter(queue=queue_id).order_by("-id").values_list("waits", flat=True)[:MATCHES]
    return tuple((at, size, wait) for waits in rows for at, size, wait in waits)


def find_last_waits(now: dt.datetime) -> dict[int, float]:
    """The longest wait of the match formed last, in seconds, by queue. One query for all, every ten seconds or so."""
    return _last_waits(int(now.timestamp() // (5 * FRESH_FOR)))


@lru_cache(maxsize=4)
def _last_waits(_period: int) -> dict[int, float]:
    last = Formed.objects.filter(queue=OuterRef("pk")).order_by("-id").values("longest_wait")[:1]
    rows = Queue.objects.order_by().annotate(last_wait=Subquery(last)).values_list("pk", "last_wait")
    return {queue: wait for queue, wait in rows if wait is not None}


def find_server_problem(queue: Queue, now: dt.datetime) -> str:
    """Why no match can begin for want of a game server, in a sentence for who waits; "" if there is no such reason."""
    problem = _server_problem(queue, int(now.timestamp() // FRESH_FOR))
    return str(_SERVER_PROBLEMS[problem]) if problem else ""


_SERVER_PROBLEMS = {
    "busy": _("Every game server has a match at the moment. Yours begins when one is free."),
    "resting": _("The game servers didn’t begin their last matches. Yours begins when one is tried again, in minutes."),
    "required": _("No game server is connected. Matches begin when one is."),
    "awaited": _("No game server is connected. Matches wait for one for a while, then they begin without."),
}


@lru_cache(maxsize=256)
def _server_problem(queue: Queue, period: int) -> str:
    now = dt.datetime.fromtimestamp(period * FRESH_FOR, dt.UTC)
    idle = count_idle(queue, now)
    if idle is None or any(count > 0 for count in idle.values()):
        return ""
    if (online := online_servers(queue, now)).exists():
        return "busy" if online.filter(is_rested(now)).exists() else "resting"
    return "required" if queue.servers == Queue.REQUIRED else "awaited"
