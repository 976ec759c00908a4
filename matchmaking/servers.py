"""Game servers: registered by their heartbeat, claimed for one match at a time. From the matchmaking rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db import transaction
from django.db.models import F, Q, QuerySet

from matchmaking import lifecycle
from matchmaking.models import Lobby, Server
from matchmaking.refusals import Refusal
from ranking.models import Mode, Source

HEARTBEAT = dt.timedelta(seconds=10)  # how often a server says that it is there
SILENCE = dt.timedelta(seconds=30)  # after which it is gone
REMEMBERED = dt.timedelta(days=1)  # for how long a mode goes on counting with servers that are gone
ANYWHERE = ""  # the region of a server that is good for all
_MOST_CAPACITY = 1_000


@transaction.atomic
def register_server(
    source: Source,
    *,
    name: str = "",
    region: str,
    address: str,
    capacity: int,
    modes: Collection[Mode],
    state: str = "",
    now: dt.datetime,
) -> Server:
    """Register a server or hear from it again; see `lobbies_of` for what it is to host. Raises Refusal."""
    if not address.strip():
        raise Refusal("address", "Say at which address players reach this server.")
    if not modes:
        raise Refusal("modes", "Say which modes this server can host.")
    if not 1 <= capacity <= _MOST_CAPACITY:
        raise Refusal("capacity", f"A server hosts 1 to {_MOST_CAPACITY} matches at once.")
    said = {"region": region, "address": address, "capacity": capacity, "state": state, "heard_at": now}
    server, _ = Server.objects.update_or_create(
        source=source, name=name, defaults=said, create_defaults={**said, "registered_at": now}
    )
    server.modes.set(modes)
    return server


def lobbies_of(server: Server) -> QuerySet[Lobby]:
    """What a server hosts or is to host."""
    return server.lobbies.filter(state__in=(lifecycle.READY, lifecycle.LIVE)).order_by("ready_at", "key")


def is_online(now: dt.datetime, prefix: str = "") -> Q:
    """A condition on servers: heard from lately."""
    return Q(**{f"{prefix}heard_at__gte": now - SILENCE})


def count_idle(mode: Mode, now: dt.datetime) -> dict[str, int] | None:
    """How many more matches the mode's servers could take, by region; None where no server is registered for it.

    Lobbies that still wait for their players to accept will want a server, too.
    """
    known = Server.objects.filter(modes=mode, heard_at__gte=now - REMEMBERED)
    rows = list(known.values_list("region", "capacity", "busy", "heard_at"))
    if not rows:
        return None
    idle: dict[str, int] = {}
    for region, capacity, busy, heard_at in rows:
        there = heard_at >= now - SILENCE
        idle[region] = idle.get(region, 0) + (max(0, capacity - busy) if there else 0)
    sharing = Mode.objects.filter(servers__in=known).values("pk")
    accepting = Lobby.objects.filter(state=lifecycle.ACCEPTING, queue__mode__in=sharing)
    for region in accepting.values_list("region", flat=True):
        taken = region if idle.get(region, 0) > 0 else ANYWHERE
        idle[taken] = idle.get(taken, 0) - 1
    return idle


def claim_server(mode: Mode, region: str, now: dt.datetime) -> Server | None:
    """One place on a server that is there, for this mode and region; None where none is idle. The least busy first."""
    free = Server.objects.filter(is_online(now), modes=mode, busy__lt=F("capacity"))
    if region:
        free = free.filter(region__in=(region, ANYWHERE))
    for server in free.order_by("-region", "busy", "id"):
        rows = Server.objects.filter(is_online(now), pk=server.pk, busy__lt=F("capacity"))
        if rows.update(busy=F("busy") + 1):
            return server
    return None


def free_server(server_id: int | None) -> None:
    """Give back a place that was claimed."""
    if server_id is not None:
        Server.objects.filter(pk=server_id, busy__gt=0).update(busy=F("busy") - 1)


def has_servers(mode: Mode, now: dt.datetime) -> bool:
    """Whether servers are registered for the mode; else its game brings players together itself."""
    return Server.objects.filter(modes=mode, heard_at__gte=now - REMEMBERED).exists()


@transaction.atomic
def recount(server: Server) -> int:
    """Count the matches on a server anew; how many there are."""
    Server.objects.select_for_update().get(pk=server.pk)  # whoever claims or frees a place comes before or after
    busy = Lobby.objects.filter(server=server, state__in=(lifecycle.READY, lifecycle.LIVE)).count()
    Server.objects.filter(pk=server.pk).update(busy=busy)
    return busy
