"""Gauges of matchmaking: who waits in the queues, lobbies by state, and places on game servers."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, F, Min, Q, Sum
from django.db.models.functions import Greatest
from django.utils import timezone
from prometheus_client import Metric

from config.observability.metrics.gauges import age, gauge, labelled_gauge
from matchmaking import lifecycle
from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.servers import HEARTBEAT, is_online

_FORGOTTEN = 360 * HEARTBEAT  # a server that has been silent for an hour is no longer missed


def read_gauges() -> Iterable[Metric]:
    """Four queries, which read only what goes on: a tick reads the same tickets every two seconds."""
    queues = list(Queue.objects.select_related("mode").order_by("mode__slug"))
    yield from _queues(queues)
    yield from _lobbies(queues)
    yield from _servers()


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


def _servers() -> Iterable[Metric]:
    now = timezone.now()
    online = is_online(now)
    recent: Any = Server.objects.filter(heard_at__gte=now - _FORGOTTEN, signed_off_at=None).order_by().values("region")
    rows = list(
        recent.annotate(
            online_servers=Count("pk", filter=online),
            silent_servers=Count("pk", filter=~Q(online)),
            busy_places=Sum("busy", filter=online, default=0),
            free_places=Sum(Greatest(F("capacity") - F("busy"), 0), filter=online, default=0),
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
