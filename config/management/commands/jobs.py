"""`manage.py jobs`: the jobs processes of the embedded profile, which run Celery's beat schedule themselves.

The first one runs the urgent jobs. For each other queue it starts a process if one of the queue's jobs has work, tells
it the names of jobs that are due, and lets it end if it has had none for a while.
"""

import datetime as dt
import logging
import os
import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, cast

from celery.schedules import BaseSchedule, maybe_schedule
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections, connection
from django.utils import timezone

from config.celery import LONG, QUEUES, URGENT, app, yield_to_others
from config.processes.queue_processes import QueueProcess, end_all
from config.processes.supervision import exit_with_supervisor
from config.storage.read_only import obey
from ranking.operations.jobs import has_work, run_observed

_CONNECTION_AGE = 60  # seconds; a connection opened for each job would cost more than most jobs

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Run the jobs of the beat table when they are due. Embedded profile only."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--queue",
            choices=QUEUES,
            default=URGENT,
            help="the queue whose jobs this process runs; those of others than urgent are named on standard input",
        )

    def handle(self, *, queue: str, **options: object) -> None:
        if settings.SCALED:
            raise CommandError("The scaled profile runs `celery -A config worker` and `celery -A config beat`.")
        exit_with_supervisor()
        if queue == LONG:
            yield_to_others()
        connection.settings_dict["CONN_MAX_AGE"] = _CONNECTION_AGE
        app.loader.import_default_modules()
        if queue == URGENT:
            _run_urgent()
        else:
            _run_named()


def _run_urgent() -> None:
    stop = _stop_at_signals()
    last_run: dict[str, dt.datetime] = {}
    others = {queue: QueueProcess(queue) for queue in QUEUES if queue != URGENT}
    while not stop.is_set():
        stop.wait(min(run_due(last_run, timezone.now(), others), 5.0))
    end_all(others.values())


def _stop_at_signals(then: Callable[[], None] = lambda: None) -> threading.Event:
    """The event that SIGTERM and SIGINT set. `then` is called, too."""
    stop = threading.Event()

    def note(*_: Any) -> None:
        stop.set()
        then()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return stop


def _run_named() -> None:
    """Run the jobs that standard input names, one a line, and name each on standard output when it has run.

    SIGTERM ends the process after the job that it runs.
    """
    stop = _stop_at_signals(_end_standard_input)
    for line in sys.stdin:
        if stop.is_set():  # lines may have been read ahead
            break
        name = line.strip()
        _run(name)
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()


def _end_standard_input() -> None:
    """Have whoever reads standard input, now or later, find its end: a signal alone doesn't end a read."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)


def run_due(last_run: dict[str, dt.datetime], now: dt.datetime, others: dict[str, QueueProcess]) -> float:
    """Run the urgent jobs that are due, and have the others run; return the seconds until the next may be due.

    `last_run`: when each job was due last; it is updated. `others`: the processes of the other queues.
    """
    for process in others.values():
        for name, pause in process.look_after().items():
            interval = app.conf.beat_schedule[name]["schedule"]
            last_run[name] = now + dt.timedelta(seconds=pause - interval)
    waits = []
    for name, entry in app.conf.beat_schedule.items():
        due, wait = True, 0.0
        if name in last_run:
            due, wait = schedule_of(entry).is_due(last_run[name])
        other = others.get(entry["options"]["queue"])
        if due and other and other.has(name):
            wait = 0.0  # it still runs, and stays due
        elif due:
            last_run[name] = now
            _run(name, other)
        waits.append(wait)
    return max(0.2, min(waits, default=5.0))


def schedule_of(entry: dict[str, Any]) -> BaseSchedule:
    """Return the schedule of an entry, which may hold seconds or a schedule."""
    return cast(BaseSchedule, maybe_schedule(entry["schedule"], app=app))


def _run(name: str, other: QueueProcess | None = None) -> None:
    """Run a job, or have another process run it. One that has nothing to do has succeeded.

    An exception is logged; the job runs again when it is next due.
    """
    task = app.conf.beat_schedule[name]["task"]
    close_old_connections()
    if connection.connection is not None:  # opened before, perhaps, a move of the site began
        obey(connection)
    try:
        if not has_work(task):
            run_observed(name, lambda: None)
        elif other:
            other.run(name)
        else:
            app.tasks[task]()
    except Exception:
        log.exception("The job %s failed.", name)
    finally:
        close_old_connections()
