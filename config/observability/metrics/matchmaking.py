"""Gauges of matchmaking: who waits in the queues, lobbies by state, and places on game servers."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils import timezone
from prometheus_client import Metric

from config.observability.metrics.gauges import age, gauge, labelled_gauge
from matchmaking import lifecycle
from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.operations.aborted_shares import find_shares
from matchmaking.server_failures import FORGOTTEN, find_failing, is_rested
from matchmaking.servers import ANYWHERE, SILENCE, is_online

_NAMED = 100  # servers with a gauge of their own
_FREE = Greatest(F("capacity") - F("busy"), 0)


def read_gauges() -> Iterable[Metric]:
    """Seven queries: the last reads up to 10,000 lobbies, the others only what goes on, as a tick does."""
    queues = list(Queue.objects.select_related("mode").order_by("mode__slug"))
    yield from _queues(queues)
    yield from _lobbies(queues)
    now = timezone.now()
    yield from _servers(now)
    yield _failed_starts(now)
    yield labelled_gauge(
        "rungs_queue_free_places", "Free places on servers for a queue's matches. None if they need no server.",
        ["mode", "region"], _free_places(queues, now),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_server_matches", "Matches of the last seven days on a server: those it called off, and the others.",
        ["source", "server", "outcome"], _matches_of_servers(now),
    )  # fmt: skip


def _queues(queues: list[Queue]) -> Iterable[Metric]:
    waiting = Ticket.objects.filter(state=lifecycle.WAITING).order_by().values("queue")
    rows: dict[int, Any] = {
        row["queue"]: row for row in waiting.annotate(players=Sum("size"), n=Count("pk"), oldest=Min("queued_at"))
    }
    slugs = {queue.mode.slug: rows.get(queue.pk, {"players": 0, "n": 0, "oldest": None}) for queue in queues}
    labels = ["mode"]
    yield labelled_gauge(
        "rungs_queue_waiting_players", "Players who wait in a queue.", labels,
        (([slug], row["players"]) for slug, row in slugs.items()),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_queue_waiting_tickets", "Tickets (a player or a party each) that wait in a queue.", labels,
        (([slug], row["n"]) for slug, row in slugs.items()),
    )  # fmt: skip
    in_need = [rows[queue.pk]["players"] for queue in queues if queue.servers == Queue.REQUIRED and queue.pk in rows]
    yield gauge("rungs_queue_players_needing_servers", "Those of them whose queue requires servers.", sum(in_need))
    yield labelled_gauge(
        "rungs_queue_oldest_wait_seconds", "Time since the oldest waiting ticket was queued.", labels,
        (([slug], age(row["oldest"])) for slug, row in slugs.items()),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_queue_tick_age_seconds", "Time since a queue was last ticked.", labels,
        (([queue.mode.slug], age(queue.ticked_at)) for queue in queues if queue.ticked_at),
    )  # fmt: skip


def _lobbies(queues: list[Queue]) -> Iterable[Metric]:
    going_on = Lobby.objects.filter(state__in=lifecycle.LOBBY.going_on).order_by().values_list("queue", "state")
    counts = {(queue, state): count for queue, state, count in going_on.annotate(count=Count("pk"))}
    yield labelled_gauge(
        "rungs_lobbies", "Lobbies that go on, by state.", ["mode", "state"],
        (([queue.mode.slug, state], counts.get((queue.pk, state), 0))
         for queue in queues for state in lifecycle.LOBBY.going_on),
    )  # fmt: skip


def _servers(now: dt.datetime) -> Iterable[Metric]:
    online = is_online(now)
    recent: Any = _recent_servers(now).values("region")
    rows = list(
        recent.annotate(
            online_servers=Count("pk", filter=online),
            silent_servers=Count("pk", filter=~Q(online)),
            busy_places=Sum("busy", filter=online, default=0),
            free_places=Sum(_FREE, filter=online & is_rested(now), default=0),
        )
    )
    yield labelled_gauge(
        "rungs_servers", "Game servers that are online, and those that fell silent within the hour.",
        ["region", "state"],
        (([row["region"], state], row[f"{state}_servers"]) for row in rows for state in ("online", "silent")),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_server_places", "Places for matches on the servers that are online.", ["region", "state"],
        (([row["region"], state], row[f"{state}_places"]) for row in rows for state in ("free", "busy")),
    )  # fmt: skip


def _failed_starts(now: dt.datetime) -> Metric:
    """Only of servers whose last start failed: the series ends when a match begins."""
    return labelled_gauge(
        "rungs_server_failed_starts", "Starts of matches that failed in a row on a game server.", ["server"],
        (([str(server)], server.failed_starts) for server in find_failing(now, failures=1)[:_NAMED]),
    )  # fmt: skip


def _free_places(queues: list[Queue], now: dt.datetime) -> Iterable[tuple[list[str], float]]:
    """((mode, region), places), with the places that are good for all regions. Region "": there is no other.

    As in `matchmaking.servers.needs_server`, an `auto` queue needs no server if all have been silent for long.
    """
    rows = _recent_servers(now).values("modes", "region")
    counted = list(
        rows.annotate(free=Sum(_FREE, filter=is_online(now) & is_rested(now), default=0), newest=Max("heard_at"))
    )
    for queue in queues:
        own = [row for row in counted if row["modes"] == queue.mode_id]
        since = now - max(SILENCE, dt.timedelta(seconds=queue.server_memory))
        awaited = queue.servers == Queue.AUTO and any(row["newest"] >= since for row in own)
        if queue.servers == Queue.REQUIRED or awaited:
            free = {row["region"]: row["free"] for row in own}
            anywhere = free.pop(ANYWHERE, 0)
            for region, places in (free or {ANYWHERE: 0}).items():
                yield [queue.mode.slug, region], places + anywhere


def _recent_servers(now: dt.datetime) -> QuerySet[Server]:
    return Server.objects.filter(heard_at__gte=now - FORGOTTEN, signed_off_at=None).order_by()


def _matches_of_servers(now: dt.datetime) -> Iterable[tuple[list[str], float]]:
    for share in find_shares(now):
        yield [share.source, share.name, "aborted"], share.aborted
        yield [share.source, share.name, "other"], share.matches - share.aborted
