"""The operators' page of queues: who waits and how long, the quality of the last matches, the time of a tick."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Min

from leaderboards.display.histogram import Column, histogram
from matchmaking import lifecycle
from matchmaking.models import Formed, Lobby, Queue, Ticket
from matchmaking.queues.queue_page import find_queues
from matchmaking.queues.waits import Crowd, find_crowd, find_server_problem
from matchmaking.server_failures import find_failing, rests
from matchmaking.servers import online_servers
from ranking.rules.rank_table import DistributionBar
from ranking.wording.translation import number_text

BAND = 10  # percentiles in a band
LATEST = 20  # matches shown
MOST_FAILING = 5  # servers named


@dataclass(frozen=True, slots=True)
class Band:
    """How many players wait from percentile `low` to `high`, both inclusive, and their column in the chart."""

    low: int
    high: int
    count: int
    column: Column

    @property
    def middle(self) -> float:
        return round(self.column.x + self.column.width / 2, 2)


@dataclass(frozen=True, slots=True)
class MatchQuality:
    """Mean values of the last matches, `of` in number; waits in seconds."""

    of: int
    wait: float
    difference: float
    spread: float


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """A queue in full. `idle` of `places`: how many more matches the online servers could take, of all at once.

    `failing`: the worst servers whose last starts all failed, each with how many.
    """

    queue: Queue
    waiting: int
    tickets: int
    oldest: dt.datetime | None
    lobbies: int
    idle: int
    places: int
    problem: str
    failing: list[tuple[str, int]]
    bands: list[Band]
    formed: list[Formed]
    quality: MatchQuality | None

    @property
    def tick(self) -> str:
        """How long the last tick took."""
        seconds = self.queue.tick_seconds or 0.0
        return f"{number_text(seconds, 1)} s" if seconds >= 1 else f"{number_text(1000 * seconds)} ms"


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """The content: all queues with the number of waiting players, and one queue in full (None if there is no queue)."""

    queues: list[tuple[Queue, int]]
    view: QueueStatus | None

    @property
    def facts(self) -> tuple[object, ...]:
        """Everything that the page shows, to find out whether it has changed."""
        shown = self.view and (self.view.queue.ticked_at, self.view.queue.open, self.view.queue.strategy)
        return self.queues, self.view, shown


def load_operator_page(slug: str, now: dt.datetime) -> OperatorPage:
    """Load the page with the queue of this mode in full, else the first queue. Seven queries; one of them is shared
    between requests for seconds."""
    queues = find_queues()
    shown = next((queue for queue in queues if queue.mode.slug == slug), queues[0] if queues else None)
    return OperatorPage(
        [(queue, find_crowd(queue, now).total) for queue in queues], None if shown is None else _view(shown, now)
    )


def _view(queue: Queue, now: dt.datetime) -> QueueStatus:
    crowd = find_crowd(queue, now)
    tickets = Ticket.objects.filter(queue=queue, state=lifecycle.WAITING)
    waiting = tickets.aggregate(count=Count("id"), oldest=Min("queued_at"))
    servers = list(online_servers(queue, now))
    failing = find_failing(now).filter(modes=queue.mode_id)[:MOST_FAILING]
    formed = list(Formed.objects.filter(queue=queue).order_by("-id")[:LATEST])
    return QueueStatus(
        queue=queue,
        waiting=crowd.total,
        tickets=waiting["count"],
        oldest=waiting["oldest"],
        lobbies=Lobby.objects.filter(queue=queue, state__in=lifecycle.LOBBY.going_on).count(),
        idle=sum(max(0, server.capacity - server.busy) for server in servers if not rests(server, now)),
        places=sum(server.capacity for server in servers),
        problem=find_server_problem(queue, now),
        failing=[(str(server), server.failed_starts) for server in failing],
        bands=draw_bands(crowd),
        formed=formed,
        quality=_quality(formed),
    )


def draw_bands(crowd: Crowd) -> list[Band]:
    """The chart's columns, ten percentiles each; empty if nobody waits."""
    if not crowd.total:
        return []
    bars = [DistributionBar(low, low + BAND, int(crowd.within(low, low + BAND - 1))) for low in range(1, 101, BAND)]
    chart = histogram(bars)
    assert chart is not None  # noqa: S101 - there are bars
    return [Band(column.bar.low, column.bar.high - 1, column.bar.count, column) for column in chart.columns]


def _quality(formed: Sequence[Formed]) -> MatchQuality | None:
    waits = [wait for match in formed for _, _, wait in match.waits]
    if not formed or not waits:
        return None
    return MatchQuality(
        of=len(formed),
        wait=sum(waits) / len(waits),
        difference=sum(match.difference for match in formed) / len(formed),
        spread=sum(match.spread for match in formed) / len(formed),
    )
