"""Notes when each job succeeded last, in a row that every machine reads and that outlives restarts.

A process writes a job's row at most every NOTE_EVERY seconds, since some jobs run every two seconds.
"""

import logging
import time

from django.db import DatabaseError
from django.utils import timezone

from ranking.database.errors import is_told_to_refuse
from ranking.models import JobRun
from ranking.operations.heartbeats import send_heartbeat

NOTE_EVERY = 15.0  # seconds

log = logging.getLogger(__name__)
_noted: dict[str, float] = {}  # by job, on this process's monotonic clock


def note_success(task: str, *, seconds: float) -> None:
    """Note that a job has just succeeded, and send its heartbeat. `seconds`: how long the job took.

    A database that refuses, such as one whose disk is full, is logged. The job has succeeded all the same.
    """
    if time.monotonic() - _noted.get(task, float("-inf")) < NOTE_EVERY:
        return
    now = timezone.now()
    try:
        JobRun.objects.bulk_create(
            [JobRun(task=task, succeeded_at=now)],
            update_conflicts=True, unique_fields=["task"], update_fields=["succeeded_at"],
        )  # fmt: skip
        _noted[task] = time.monotonic()
        send_heartbeat(task, now=now, seconds=seconds)
    except DatabaseError as error:
        if not is_told_to_refuse(error):
            log.warning("The success of %s couldn't be noted.", task, exc_info=True)
