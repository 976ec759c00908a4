"""The Celery app, its queues, and the beat schedule that both profiles run.

Each queue has processes of its own, so that urgent jobs wait neither for long ones nor for other people's sites.
Scaled: `celery -A config beat` sends the tasks to `celery -A config worker -Q QUEUE`. Embedded: `manage.py jobs` reads
the same schedule and calls the task functions itself.
"""

import datetime as dt
import logging.config
import os
import sys
from typing import Any

from celery import Celery, signals
from django.conf import settings
from kombu import Queue

from config.env import InvalidEnvironment
from config.processes.liveness import touch
from config.processes.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    PUBLISH_EVERY = float(settings.PUBLISH_EVERY)
except InvalidEnvironment as error:  # the celery command would show it under a traceback
    sys.exit(str(error))

app = Celery("rungs", task_cls="ranking.operations.jobs:Job")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

URGENT = "urgent"  # what people wait for: matches found, boards, what follows results
LONG = "long"  # may take minutes or hours of processor time, which is left to others first
NETWORK = "network"  # waits for other people's sites
QUEUES = (URGENT, LONG, NETWORK)
_LEAST_PRIORITY = 19  # the nice value that takes what processor time others leave

_LONG_AGO = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def every(task: str, seconds: float, queue: str) -> dict[str, Any]:
    """Return an entry of the beat schedule. It is due at once when beat starts, so frequent restarts delay no task.

    A message that no worker has taken when the next one is due is dropped, which is counted and logged.
    """
    options = {"expires": seconds, "queue": queue}
    return {"task": task, "schedule": seconds, "options": options, "last_run_at": _LONG_AGO}


app.conf.beat_schedule = {
    "publish-standings": every("ranking.publish_standings", PUBLISH_EVERY, URGENT),
    "rerate-modes": every("ranking.rerate_modes", 5.0, LONG),
    "end-seasons": every("ranking.end_seasons", 5.0, LONG),
    "sweep-outbox": every("ranking.sweep_outbox", 2.0, URGENT),
    "continue-evaluations": every("ranking.continue_evaluations", 2.0, LONG),
    "continue-fits": every("ranking.continue_fits", 2.0, LONG),
    "tell-standings": every("leaderboards.tell_standings", PUBLISH_EVERY, URGENT),
    "tell-endings": every("leaderboards.tell_endings", 30.0, URGENT),
    "announce-seasons": every("leaderboards.announce_seasons", 30.0, URGENT),
    "fetch-avatars": every("leaderboards.fetch_avatars", 30.0, NETWORK),
    "count-achievements": every("leaderboards.count_achievements", 900.0, LONG),
    "deliver-webhooks": every("leaderboards.deliver_webhooks", 5.0, NETWORK),
    "report-abuse": every("ranking.report_abuse", 86_400.0, LONG),
    "find-doubled-matches": every("ranking.find_doubles", 3_600.0, LONG),
    "tick-queues": every("matchmaking.tick_queues", 2.0, URGENT),
    "sweep-lobbies": every("matchmaking.sweep_lobbies", 2.0, URGENT),
    "drop-old-records": every("ranking.drop_old", 3_600.0, LONG),
    "drop-old": every("leaderboards.drop_old", 86_400.0, LONG),
    "drop-old-tickets": every("matchmaking.drop_old", 86_400.0, LONG),
}
app.conf.task_queues = [Queue(name) for name in QUEUES]
app.conf.task_default_queue = URGENT
app.conf.task_create_missing_queues = False
app.conf.task_routes = {
    entry["task"]: {"queue": entry["options"]["queue"]} for entry in app.conf.beat_schedule.values()
}


def yield_to_others() -> None:
    """Give this process and what it starts the least priority, as long jobs have."""
    os.nice(_LEAST_PRIORITY)


@signals.setup_logging.connect
def _use_our_logs(**_: object) -> None:
    """Use Django's LOGGING in Celery's processes, too."""
    logging.config.dictConfig(settings.LOGGING)


@signals.task_revoked.connect
def _note_dropped(request: Any, expired: bool, **_: Any) -> None:
    """Count and log a message that waited until the next one was due. The worker's main process is told."""
    from ranking.operations.jobs import note_dropped  # Celery loads this module before Django's models

    if expired:
        note_dropped(app, str(request.task))


@signals.celeryd_init.connect
def _yield_if_long(options: dict[str, object], **_: object) -> None:
    if options.get("queues") == [LONG]:
        yield_to_others()


@signals.heartbeat_sent.connect
def _note_alive(**_: object) -> None:
    """The worker's main loop sends this every two seconds."""
    touch()


@signals.worker_process_init.connect
def _end_with_the_worker(**_: object) -> None:
    """End a pool process with its worker: if the worker is killed with SIGKILL, it would wait for work for ever."""
    exit_with_supervisor()


@signals.celeryd_init.connect
@signals.beat_init.connect
def _end_with_the_supervisor(**_: object) -> None:
    exit_with_supervisor()
