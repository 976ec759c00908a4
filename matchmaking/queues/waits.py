"""Who waits in a queue, by percentile, and how long tickets waited of late: read every few seconds, not each time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count

from matchmaking import lifecycle
from matchmaking.models import Formed, TicketMember
from matchmaking.servers import count_idle
from ranking.models import Mode

FEWEST = 5  # waits that say anything


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds: half waited at most `typical`, the middle eight of ten `low` to `high`; from `of` tickets."""

    typical: int
    low: int
    high: int
    of: int


def estimate(waits: Sequence[float]) -> Estimate | None:
    """What these waits, in seconds, tell about the next; None where they are too few."""
    if len(waits) < FEWEST:
        return None
    line = sorted(waits)

    def at(share: float) -> int:
        """By linear interpolation between neighbours."""
        place = share * (len(line) - 1)
        before = int(place)
        after = min(before + 1, len(line) - 1)
        return round(line[before] + (line[after] - line[before]) * (place - before))

    return Estimate(typical=at(0.5), low=at(0.1), high=at(0.9), of=len(line))


FRESH_FOR = 2  # seconds that a process goes on with what it has read
MATCHES = 200  # formed last, from which waits are estimated
NEAR = 10  # percentiles that similar tickets are away at most


@dataclass(frozen=True, slots=True)
class Crowd:
    """Players waiting: `counts[p]` of them at percentile p."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)

    def within(self, low: float, high: float) -> int:
        """How many are from one percentile to another, both inclusive."""
        return sum(count for percentile, count in enumerate(self.counts) if low <= percentile <= high)


_NOBODY = Crowd((0,) * 101)


def find_crowd(queue_id: int, now: dt.datetime) -> Crowd:
    """Who waits in a queue; one query for all queues."""
    return _crowds(int(now.timestamp() // FRESH_FOR)).get(queue_id, _NOBODY)


@lru_cache(maxsize=4)
def _crowds(_moment: int) -> dict[int, Crowd]:
    waiting = TicketMember.objects.filter(ticket__state=lifecycle.WAITING).order_by()
    counts: dict[int, list[int]] = {}
    for queue, percentile, count in waiting.values_list("ticket__queue", "percentile").annotate(count=Count("id")):
        counts.setdefault(queue, [0] * 101)[percentile] = count
    return {queue: Crowd(tuple(found)) for queue, found in counts.items()}


def estimate_wait(queue_id: int, percentile: float, size: int, now: dt.datetime) -> Estimate | None:
    """What tickets like this one waited: of its size and about its percentile; where they are few, of its size."""
    waits = _waits(queue_id, int(now.timestamp() // (5 * FRESH_FOR)))
    alike = [wait for _, of, wait in waits if of == size]
    near = [wait for at, of, wait in waits if of == size and abs(at - percentile) <= NEAR]
    return estimate(near) or estimate(alike)


@lru_cache(maxsize=256)
def _waits(queue_id: int, _moment: int) -> tuple[tuple[float, int, float], ...]:
    """Percentile, size and wait of each ticket of the matches formed last."""
    rows = Formed.objects.filter(queue=queue_id).order_by("-id").values_list("waits", flat=True)[:MATCHES]
    return tuple((at, size, wait) for waits in rows for at, size, wait in waits)


def are_servers_full(mode: Mode, now: dt.datetime) -> bool:
    """Whether each server of the mode has all the matches it can take, or is gone; False where none is registered."""
    return _full(mode.pk, int(now.timestamp() // FRESH_FOR))


@lru_cache(maxsize=256)
def _full(mode_id: int, moment: int) -> bool:
    idle = count_idle(Mode(pk=mode_id), dt.datetime.fromtimestamp(moment * FRESH_FOR, dt.UTC))
    return idle is not None and sum(idle.values()) <= 0


def forget_waits() -> None:
    """Read everything anew: for tests, whose databases use ids again."""
    _crowds.cache_clear()
    _full.cache_clear()
    _waits.cache_clear()
