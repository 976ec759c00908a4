"""The tick: matches the waiting tickets of a queue and forms lobbies. From the matchmaking rules.

A queue has one tick at a time, however many workers run. A tick is one transaction: if the process dies, all tickets
wait on. A ticket that was cancelled meanwhile costs only its own proposal.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from matchmaking import lifecycle
from matchmaking.matcher.fifo import find_next_in_line
from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import Pool
from matchmaking.matcher.tickets import Proposal
from matchmaking.models import Formed, Lobby, Queue, Ticket
from matchmaking.queues.match_rules import rules_of, strategy_of
from matchmaking.servers import ANYWHERE, count_idle
from matchmaking.tick._claiming import claim_tickets
from matchmaking.tick._formed_lobbies import columns_of
from matchmaking.tick._loading import LoadedQueue, load_queue
from matchmaking.tick._placing import find_hosted_matches
from ranking.database.bulk_writes import copy_rows
from ranking.database.locks import claim_ticking
from ranking.operations.garbage_collection import garbage_collection_paused

_LOBBY = ("key", "queue_id", "state", "region", "variant", "teams", "places", "difference", "formed_at", "accept_until",
          "ending_code", "blind")  # fmt: skip
_HISTORY = ("queue_id", "formed_at", "region", "difference", "spread", "longest_wait", "waits")
_chance = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class TickReport:
    """The result of a tick: how many tickets it saw, the keys of the lobbies it formed, and how long it took."""

    tickets: int
    lobbies: tuple[str, ...]
    seconds: float


def has_work() -> bool:
    """True if somebody waits in a queue."""
    return Ticket.objects.filter(state=lifecycle.WAITING).exists()


def tick(queue: Queue, *, now: dt.datetime) -> TickReport | None:
    """Match the waiting tickets of a queue. None if another process is ticking this queue."""
    with garbage_collection_paused():
        return _tick(queue, now)


@transaction.atomic
def _tick(queue: Queue, now: dt.datetime) -> TickReport | None:
    if not claim_ticking(queue.mode.slug):
        return None
    started = time.perf_counter()
    idle = count_idle(queue, now)
    loaded = load_queue(queue, now, [*queue.regions, *(name for name in idle or () if name != ANYWHERE)])
    proposals = _find(queue, loaded, idle, now)
    lobbies = _form(queue, loaded, proposals, now)
    report = TickReport(len(loaded), tuple(lobbies), time.perf_counter() - started)
    Queue.objects.filter(pk=queue.pk).update(
        ticked_at=now, tick_seconds=report.seconds, tick_tickets=report.tickets, tick_lobbies=len(lobbies)
    )
    return report


def _find(queue: Queue, loaded: LoadedQueue, idle: Mapping[str, int] | None, now: dt.datetime) -> list[Proposal]:
    """Find proposals, oldest tickets first, and no more than servers can take. `idle` None: no server limits them."""
    if not len(loaded):
        return []
    rules, skilled = rules_of(queue), strategy_of(queue) == Queue.SKILL

    def find(pool: Pool) -> list[Proposal]:
        return (find_matches if skilled else find_next_in_line)(pool, rules, now.timestamp())

    return find(loaded.pool) if idle is None else find_hosted_matches(loaded.pool, idle, rules.players, find)


def _form(queue: Queue, loaded: LoadedQueue, proposals: Sequence[Proposal], now: dt.datetime) -> list[str]:
    """Write lobbies and history of the proposals whose tickets all still wait. Returns the lobbies' keys."""
    lobbies = columns_of(proposals, loaded)
    failed = claim_tickets(lobbies.claims, now)
    formed = [(number, key) for number, key in enumerate(lobbies.keys) if key not in failed]
    moment = now if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(now)
    until, blind = _accept_until(queue, now), queue.accept_seconds > 0 and queue.accepting == Queue.BLIND
    copy_rows(Lobby, _LOBBY, [
        (key, queue.pk, lifecycle.ACCEPTING, proposals[number].region, _draw(queue), json.dumps(lobbies.teams[number]),
         json.dumps(lobbies.places[number]), proposals[number].difference, moment, until, "",
         blind) for number, key in formed
    ])  # fmt: skip
    copy_rows(Formed, _HISTORY, [
        (queue.pk, moment, proposals[number].region, proposals[number].difference, lobbies.spread[number],
         max(wait for _, _, wait in lobbies.waits[number]), json.dumps(lobbies.waits[number])) for number, _ in formed
    ])  # fmt: skip
    return [key for _, key in formed]


def _accept_until(queue: Queue, now: dt.datetime) -> Any:
    if not queue.accept_seconds:
        return None
    until = now + queue.accept_time
    return until if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(until)


def _draw(queue: Queue) -> str:
    """Draw one of the queue's variants (maps, for example) at random; empty if it has none."""
    return str(_chance.choice(queue.variants)) if queue.variants else ""
