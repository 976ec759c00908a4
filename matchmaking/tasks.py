"""What beat starts. Each calls a domain function."""

import logging

from celery import shared_task
from django.utils import timezone

from matchmaking import keeping
from matchmaking import sweep as sweeping
from matchmaking import tick as ticking
from matchmaking.models import Queue

log = logging.getLogger(__name__)


@shared_task(name="matchmaking.tick_queues")
def tick_queues() -> None:
    """Whoever finds a queue ticked by another goes on to the next one."""
    for queue in Queue.objects.select_related("mode"):
        try:
            ticked = ticking.tick(queue, now=timezone.now())
            if ticked and not queue.accept_seconds:
                for key in ticked.lobbies:
                    sweeping.settle(key, now=timezone.now())
        except Exception:  # one queue's trouble isn't the others'
            log.exception("The tick of %s failed.", queue)


@shared_task(name="matchmaking.sweep_lobbies")
def sweep_lobbies() -> None:
    sweeping.sweep(timezone.now())


@shared_task(name="matchmaking.drop_old")
def drop_old() -> None:
    keeping.drop_old(timezone.now())
