"""Game servers: a heartbeat registers them, and a lobby claims one place on a server. From the matchmaking rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When

from matchmaking import lifecycle
from matchmaking.models import Lobby, Queue, Server
from matchmaking.refusals import Refusal
from matchmaking.server_failures import has_failed_lately, is_rested
from ranking.models import Mode, Source

HEARTBEAT = dt.timedelta(seconds=10)  # how often a server sends its heartbeat
SILENCE = dt.timedelta(seconds=30)  # a server that is silent for longer is gone
ANYWHERE = ""  # the region of a server that is good for all regions
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
    """Register a server, or take its next heartbeat; `lobbies_of` tells what it has to host. Raises Refusal."""
    if not address.strip():
        raise Refusal("address")
    if not modes:
        raise Refusal("modes")
    if not 1 <= capacity <= _MOST_CAPACITY:
        raise Refusal("capacity", most=_MOST_CAPACITY)
    values = {"region": region, "address": address, "capacity": capacity, "state": state, "heard_at": now,
              "signed_off_at": None}  # fmt: skip
    server, _ = Server.objects.update_or_create(
        source=source, name=name, defaults=values, create_defaults={**values, "registered_at": now}
    )
    server.modes.set(modes)
    return server


def lobbies_of(server: Server) -> QuerySet[Lobby]:
    """The lobbies that a server hosts or has to host."""
    return server.lobbies.filter(state__in=(lifecycle.READY, lifecycle.LIVE)).order_by("ready_at", "key")


@transaction.atomic
def sign_off(source: Source, *, name: str = "", now: dt.datetime) -> Server | None:
    """Note that a server has ended in good order: it counts as gone at once. None if there is no such server."""
    server = Server.objects.select_for_update().filter(source=source, name=name).first()
    if server is not None and server.signed_off_at is None:
        server.signed_off_at = now
        server.save(update_fields=["signed_off_at"])
    return server


def is_online(now: dt.datetime, prefix: str = "") -> Q:
    """A condition on servers: the last heartbeat isn't older than SILENCE, and the server hasn't signed off."""
    return Q(**{f"{prefix}heard_at__gte": now - SILENCE, f"{prefix}signed_off_at": None})


def is_gone(now: dt.datetime, prefix: str = "") -> Q:
    """A condition on servers: they are silent for longer than SILENCE, or have signed off."""
    return Q(**{f"{prefix}heard_at__lt": now - SILENCE}) | Q(**{f"{prefix}signed_off_at__isnull": False})


def awaited_servers(queue: Queue, now: dt.datetime) -> QuerySet[Server]:
    """The servers that are online, or that an `auto` queue still waits for: silent for `server_memory` at most."""
    memory = max(SILENCE, dt.timedelta(seconds=queue.server_memory))
    return Server.objects.filter(modes=queue.mode_id, heard_at__gte=now - memory, signed_off_at=None)


def needs_server(queue: Queue, now: dt.datetime) -> bool:
    """True if a match of this queue needs a server. If not, the game itself brings its players together."""
    if queue.servers == Queue.AUTO:
        return awaited_servers(queue, now).exists()
    return bool(queue.servers == Queue.REQUIRED)


def count_idle(queue: Queue, now: dt.datetime) -> dict[str, int] | None:
    """How many more matches the queue's servers could take, by region. None if matches need no server.

    Lobbies whose players haven't accepted yet will need a server too, so they count.
    """
    if queue.servers == Queue.NONE:
        return None
    known = awaited_servers(queue, now)
    rows = list(known.values_list("region", "capacity", "busy", "heard_at", "rests_until"))
    if not rows:
        return {} if queue.servers == Queue.REQUIRED else None
    idle: dict[str, int] = {}
    for region, capacity, busy, heard_at, rests_until in rows:
        takes_matches = heard_at >= now - SILENCE and (rests_until is None or rests_until <= now)
        idle[region] = idle.get(region, 0) + (max(0, capacity - busy) if takes_matches else 0)
    sharing = Mode.objects.filter(servers__in=known).values("pk")
    accepting = Lobby.objects.filter(state=lifecycle.ACCEPTING, queue__mode__in=sharing)
    for region in accepting.exclude(queue__servers=Queue.NONE).values_list("region", flat=True):
        place = region if idle.get(region, 0) > 0 else ANYWHERE
        idle[place] = idle.get(place, 0) - 1
    return idle


def online_servers(queue: Queue, now: dt.datetime, region: str = ANYWHERE) -> QuerySet[Server]:
    """The servers of the queue's mode that are connected; those that are good for a region, if it is given."""
    online = Server.objects.filter(is_online(now), modes=queue.mode_id)
    return online.filter(region__in=(region, ANYWHERE)) if region else online


def claim_server(queue: Queue, region: str, now: dt.datetime, *, apart_from: int | None = None) -> Server | None:
    """Claim a place on an online server for this queue and region. None if none is free.

    Servers without a recent failure come first, then those of the region, the least busy, and those that have been idle
    for longest. A server that rests gets nothing, nor does the one with the id `apart_from`.
    """
    if queue.servers == Queue.NONE:
        return None
    free = Q(is_online(now), is_rested(now), busy__lt=F("capacity"))
    lately = Case(When(has_failed_lately(now), then=Value(1)), default=Value(0))
    idle_for_longest = F("claimed_at").asc(nulls_first=True)
    rows = online_servers(queue, now, region).filter(free)
    if apart_from is not None:
        rows = rows.exclude(pk=apart_from)
    for server in rows.order_by(lately, "-region", "busy", idle_for_longest, "id"):
        if Server.objects.filter(free, pk=server.pk).update(busy=F("busy") + 1, claimed_at=now):
            return server
    return None


def free_server(server_id: int | None) -> None:
    """Give back a claimed place."""
    if server_id is not None:
        Server.objects.filter(pk=server_id, busy__gt=0).update(busy=F("busy") - 1)


@transaction.atomic
def recount(server: Server) -> int:
    """Count the matches on a server again, and save the number. Returns it."""
    Server.objects.select_for_update().get(pk=server.pk)  # so that nobody claims or frees a place meanwhile
    busy = Lobby.objects.filter(server=server, state__in=(lifecycle.READY, lifecycle.LIVE)).count()
    Server.objects.filter(pk=server.pk).update(busy=busy)
    return busy
