"""`manage.py jobs`: the jobs process of the embedded profile, which runs Celery's beat schedule itself."""

import datetime as dt
import logging
import signal
import threading
from typing import Any, cast

from celery.schedules import BaseSchedule, maybe_schedule
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections
from django.utils import timezone

from config.celery import app
from config.supervision import exit_with_supervisor

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Run the jobs of the beat table when they are due, one after the other. Embedded profile only."

    def handle(self, **options: Any) -> None:
        if settings.SCALED:
            raise CommandError("The scaled profile runs `celery -A config worker` and `celery -A config beat`.")
        exit_with_supervisor()
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        app.loader.import_default_modules()
        last_run: dict[str, dt.datetime] = {}
        while not stop.is_set():
            stop.wait(min(run_due(last_run, timezone.now()), 5.0))


def run_due(last_run: dict[str, dt.datetime], now: dt.datetime) -> float:
    """Run the jobs that are due; returns the seconds until the next one may be due."""
    waits = []
    for name, entry in app.conf.beat_schedule.items():
        due, wait = True, 0.0
        if name in last_run:
            due, wait = schedule_of(entry).is_due(last_run[name])
        if due:
            last_run[name] = now
            _run(name, entry["task"])
        waits.append(wait)
    return max(0.2, min(waits, default=5.0))


def schedule_of(entry: dict[str, Any]) -> BaseSchedule:
    """Return the schedule of an entry, which may hold seconds or a schedule."""
    return cast(BaseSchedule, maybe_schedule(entry["schedule"], app=app))


def _run(name: str, task: str) -> None:
    """Call a task's function. An exception is logged; the job runs again when it is next due."""
    close_old_connections()
    try:
        app.tasks[task]()
    except Exception:
        log.exception("The job %s failed.", name)
    finally:
        close_old_connections()
