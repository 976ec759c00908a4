"""The Celery app and the beat schedule that both profiles run.

Scaled: `celery -A config beat` sends the tasks to `celery -A config worker`. Embedded: `manage.py jobs` reads the
same schedule and calls the task functions itself.
"""

import datetime as dt
import logging.config
import os
import sys
from typing import Any

from celery import Celery, signals
from django.conf import settings

from config.env import InvalidEnvironment
from config.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    PUBLISH_EVERY = float(settings.PUBLISH_EVERY)
except InvalidEnvironment as error:  # the celery command would show it under a traceback
    sys.exit(str(error))

app = Celery("rungs", task_cls="ranking.operations.jobs:Job")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


_LONG_AGO = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def every(task: str, seconds: float) -> dict[str, Any]:
    """Return an entry of the beat schedule. It is due at once when beat starts, so frequent restarts delay no task.

    A message that no worker has taken when the next one is due is dropped.
    """
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}, "last_run_at": _LONG_AGO}


app.conf.beat_schedule = {
    "publish-standings": every("ranking.publish_standings", PUBLISH_EVERY),
    "rerate-modes": every("ranking.rerate_modes", 5.0),
    "end-seasons": every("ranking.end_seasons", 5.0),
    "sweep-outbox": every("ranking.sweep_outbox", 5.0),
    "continue-evaluations": every("ranking.continue_evaluations", 2.0),
    "continue-fits": every("ranking.continue_fits", 2.0),
    "tell-standings": every("leaderboards.tell_standings", PUBLISH_EVERY),
    "tell-endings": every("leaderboards.tell_endings", 30.0),
    "announce-seasons": every("leaderboards.announce_seasons", 30.0),
    "fetch-avatars": every("leaderboards.fetch_avatars", 30.0),
    "count-achievements": every("leaderboards.count_achievements", 900.0),
    "deliver-webhooks": every("leaderboards.deliver_webhooks", 5.0),
    "report-abuse": every("ranking.report_abuse", 86_400.0),
    "tick-queues": every("matchmaking.tick_queues", 2.0),
    "sweep-lobbies": every("matchmaking.sweep_lobbies", 2.0),
    "drop-old-records": every("ranking.drop_old", 3_600.0),
    "drop-old": every("leaderboards.drop_old", 86_400.0),
    "drop-old-tickets": every("matchmaking.drop_old", 86_400.0),
}


@signals.setup_logging.connect
def _use_our_logs(**_: Any) -> None:
    """Use Django's LOGGING in Celery's processes, too."""
    logging.config.dictConfig(settings.LOGGING)


@signals.worker_process_init.connect
def _end_with_the_worker(**_: Any) -> None:
    """End a pool process with its worker: if the worker is killed with SIGKILL, it would wait for work for ever."""
    exit_with_supervisor()


@signals.celeryd_init.connect
@signals.beat_init.connect
def _end_with_the_supervisor(**_: Any) -> None:
    exit_with_supervisor()
