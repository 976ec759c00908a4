"""The operators' view of queues: who waits, how long, how good the matches formed last are, how long a tick takes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Min

from leaderboards.display.histogram import Column, histogram
from matchmaking import lifecycle
from matchmaking.models import Formed, Lobby, Queue, Server, Ticket
from matchmaking.queues.queue_page import find_queues
from matchmaking.queues.waits import Crowd, find_crowd
from matchmaking.servers import is_there
from ranking.rules.rank_table import DistributionBar

BAND = 10  # percentiles
LATEST = 20  # matches


@dataclass(frozen=True, slots=True)
class Band:
    """Players waiting from one percentile to another, both inclusive, and their column in the drawing."""

    low: int
    high: int
    count: int
    column: Column

    @property
    def middle(self) -> float:
        return round(self.column.x + self.column.width / 2, 2)


@dataclass(frozen=True, slots=True)
class Quality:
    """Means of the matches formed last; waits in seconds."""

    of: int
    wait: float
    difference: float
    spread: float


@dataclass(frozen=True, slots=True)
class QueueView:
    """`idle` of `places`: matches that the servers that are there could still take, of all at once."""

    queue: Queue
    waiting: int
    tickets: int
    oldest: dt.datetime | None
    lobbies: int
    idle: int
    places: int
    bands: list[Band]
    formed: list[Formed]
    quality: Quality | None

    @property
    def tick(self) -> str:
        """What the last tick took."""
        seconds = self.queue.tick_seconds or 0.0
        return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


@dataclass(frozen=True, slots=True)
class QueueViews:
    """All queues with how many players wait in each, and one of them in full; None where there is none."""

    queues: list[tuple[Queue, int]]
    view: QueueView | None

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, for telling whether it has changed."""
        shown = self.view and (self.view.queue.ticked_at, self.view.queue.open, self.view.queue.strategy)
        return self.queues, self.view, shown


def load_views(slug: str, now: dt.datetime) -> QueueViews:
    """The queue of the mode with this slug, else the first: six queries, one shared with others' for seconds."""
    queues = find_queues()
    shown = next((queue for queue in queues if queue.mode.slug == slug), queues[0] if queues else None)
    return QueueViews(
        [(queue, find_crowd(queue.pk, now).total) for queue in queues], None if shown is None else _view(shown, now)
    )


def _view(queue: Queue, now: dt.datetime) -> QueueView:
    crowd = find_crowd(queue.pk, now)
    tickets = Ticket.objects.filter(queue=queue, state=lifecycle.WAITING)
    waiting = tickets.aggregate(count=Count("id"), oldest=Min("queued_at"))
    servers = list(Server.objects.filter(is_there(now), modes=queue.mode_id).values_list("capacity", "busy"))
    formed = list(Formed.objects.filter(queue=queue).order_by("-id")[:LATEST])
    return QueueView(
        queue=queue,
        waiting=crowd.total,
        tickets=waiting["count"],
        oldest=waiting["oldest"],
        lobbies=Lobby.objects.filter(queue=queue, state__in=lifecycle.LOBBY.going_on).count(),
        idle=sum(max(0, capacity - busy) for capacity, busy in servers),
        places=sum(capacity for capacity, _ in servers),
        bands=draw_bands(crowd),
        formed=formed,
        quality=_quality(formed),
    )


def draw_bands(crowd: Crowd) -> list[Band]:
    """Columns of ten percentiles each; none where nobody waits."""
    if not crowd.total:
        return []
    bars = [DistributionBar(low, low + BAND, int(crowd.within(low, low + BAND - 1))) for low in range(1, 101, BAND)]
    drawn = histogram(bars)
    assert drawn is not None  # noqa: S101 - there are bars
    return [Band(column.bar.low, column.bar.high - 1, column.bar.count, column) for column in drawn.columns]


def _quality(formed: Sequence[Formed]) -> Quality | None:
    waits = [wait for match in formed for _, _, wait in match.waits]
    if not formed or not waits:
        return None
    return Quality(
        of=len(formed),
        wait=sum(waits) / len(waits),
        difference=sum(match.difference for match in formed) / len(formed),
        spread=sum(match.spread for match in formed) / len(formed),
    )
