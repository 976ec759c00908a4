"""The tick: who waits in a queue is matched. From the matchmaking rules.

One at a time in a queue however many workers run, and one transaction: whatever dies in it leaves everybody waiting. A
ticket that was cancelled meanwhile drops its proposal only.
"""

from __future__ import annotations

import datetime as dt
import gc
import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from matchmaking import lifecycle
from matchmaking.matcher.fifo import find_next_in_line
from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import Pool
from matchmaking.matcher.tickets import Proposal
from matchmaking.models import Formed, Lobby, Queue
from matchmaking.queues.match_rules import rules_of, strategy_of
from matchmaking.servers import ANYWHERE, count_idle
from matchmaking.tick.claiming import claim_tickets
from matchmaking.tick.formed_lobbies import columns_of
from matchmaking.tick.loading import LoadedQueue, load_queue
from matchmaking.tick.placing import find_hosted_matches
from ranking.database.bulk_writes import copy_rows
from ranking.database.locks import claim_ticking

_LOBBY = ("key", "queue_id", "state", "region", "variant", "teams", "places", "difference", "formed_at", "accept_until",
          "ending")  # fmt: skip
_HISTORY = ("queue_id", "formed_at", "region", "difference", "spread", "longest_wait", "waits")
_chance = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class TickReport:
    """What a tick took: how many tickets it saw, which lobbies it formed, and its seconds."""

    tickets: int
    lobbies: tuple[str, ...]
    seconds: float


def tick(queue: Queue, *, now: dt.datetime) -> TickReport | None:
    """Match who waits in a queue; None where another process is at it."""
    with _uncollected():
        return _tick(queue, now)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Don't look for cycles meanwhile: a large tick makes very many objects, and no cycles, and looking for those among
    them took a sixth of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@transaction.atomic
def _tick(queue: Queue, now: dt.datetime) -> TickReport | None:
    if not claim_ticking(queue.mode.slug):
        return None
    started = time.perf_counter()
    idle = count_idle(queue.mode, now)
    waiting = load_queue(queue, now, [*queue.regions, *(name for name in idle or () if name != ANYWHERE)])
    proposals = _find(queue, waiting, idle, now)
    lobbies = _form(queue, waiting, proposals, now)
    ticked = TickReport(len(waiting), tuple(lobbies), time.perf_counter() - started)
    Queue.objects.filter(pk=queue.pk).update(
        ticked_at=now, tick_seconds=ticked.seconds, tick_tickets=ticked.tickets, tick_lobbies=len(lobbies)
    )
    return ticked


def _find(queue: Queue, waiting: LoadedQueue, idle: Mapping[str, int] | None, now: dt.datetime) -> list[Proposal]:
    """Proposals, no more than servers can take; oldest first."""
    if not len(waiting):
        return []
    rules, skilled = rules_of(queue), strategy_of(queue) == Queue.SKILL

    def find(pool: Pool) -> list[Proposal]:
        return (find_matches if skilled else find_next_in_line)(pool, rules, now.timestamp())

    return find(waiting.pool) if idle is None else find_hosted_matches(waiting.pool, idle, rules.players, find)


def _form(queue: Queue, waiting: LoadedQueue, proposals: Sequence[Proposal], now: dt.datetime) -> list[str]:
    """Lobbies of the proposals whose tickets all still wait, with their history; their keys."""
    finds = columns_of(proposals, waiting)
    failed = claim_tickets(finds.claims, now)
    formed = [(number, key) for number, key in enumerate(finds.keys) if key not in failed]
    moment = now if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(now)
    until = _until(queue, now)
    copy_rows(Lobby, _LOBBY, [
        (key, queue.pk, lifecycle.ACCEPTING, proposals[number].region, _draw(queue), json.dumps(finds.teams[number]),
         json.dumps(finds.places[number]), proposals[number].difference, moment, until, "") for number, key in formed
    ])  # fmt: skip
    copy_rows(Formed, _HISTORY, [
        (queue.pk, moment, proposals[number].region, proposals[number].difference, finds.spread[number],
         max(wait for _, _, wait in finds.waits[number]), json.dumps(finds.waits[number])) for number, _ in formed
    ])  # fmt: skip
    return [key for _, key in formed]


def _until(queue: Queue, now: dt.datetime) -> Any:
    if not queue.accept_seconds:
        return None
    until = now + queue.accept_time
    return until if connection.vendor == "postgresql" else connection.ops.adapt_datetimefield_value(until)


def _draw(queue: Queue) -> str:
    """A map or variant, nobody's choice."""
    return str(_chance.choice(queue.variants)) if queue.variants else ""
