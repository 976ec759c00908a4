"""Celery tasks that beat starts: the tick, the sweep, cleaning up. Each calls a domain function."""

from celery import shared_task
from django.utils import timezone
from prometheus_client import Counter, Histogram

from matchmaking.lobbies import sweep as sweeping
from matchmaking.models import Queue
from matchmaking.operations import retention
from matchmaking.tick import tick as ticking
from ranking.operations.jobs import WORK_CHECKS, run_each

FORMED = Counter("rungs_queue_matches_formed", "Matches that the tick has formed.", ["mode"])
TICK = Histogram(
    "rungs_queue_tick_seconds", "Time that a tick takes.", ["mode"], buckets=(0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 60)
)


@shared_task(name="matchmaking.tick_queues")
def tick_queues() -> None:
    """Tick every queue. A queue that another process is ticking is skipped."""
    run_each(Queue.objects.select_related("mode"), _tick, "The tick of %s failed.")


def _tick(queue: Queue) -> None:
    report = ticking.tick(queue, now=timezone.now())
    if report:
        FORMED.labels(queue.mode.slug).inc(len(report.lobbies))
        TICK.labels(queue.mode.slug).observe(report.seconds)
    if report and not queue.accept_seconds:
        for key in report.lobbies:
            sweeping.settle(key, now=timezone.now())


@shared_task(name="matchmaking.sweep_lobbies")
def sweep_lobbies() -> None:
    sweeping.sweep(timezone.now())


@shared_task(name="matchmaking.drop_old")
def drop_old() -> None:
    retention.drop_old(timezone.now())


WORK_CHECKS.update(
    {"matchmaking.tick_queues": ticking.has_work, "matchmaking.sweep_lobbies": sweeping.has_work},
)
