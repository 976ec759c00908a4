"""Heartbeats: after a job has succeeded, an address of a dead man's switch is asked for, which raises the alarm if no
more heartbeats come.

The operator names the addresses, so they may be anywhere. A job waits for its heartbeat for a tenth of the time that
the job took, at most; then the heartbeat goes on in a thread of its own. It fails no job.
"""

import datetime as dt
import http.client
import logging
import threading
import time
import urllib.request

from django.conf import settings
from django.db.models import Q

from ranking.models import JobRun
from ranking.operations import metrics

EVERY = dt.timedelta(seconds=55)  # a job that runs every minute sends one each time
TIMEOUT = 5.0  # seconds
_TRIES, _PAUSE = 3, 1.0  # seconds between two tries
_LONGEST_WAIT = 2.0  # seconds

log = logging.getLogger(__name__)


def heartbeat_address(task: str) -> str:
    """The address of a job's heartbeat; "" if it has none."""
    own: str | None = settings.HEARTBEATS.get(task)
    return settings.HEARTBEAT_URL.replace("{job}", task) if own is None else own


def send_heartbeat(task: str, *, now: dt.datetime, seconds: float) -> None:
    """Send the heartbeat of a job that took `seconds`, unless some process has sent it within the minute."""
    address = heartbeat_address(task)
    if not address:
        return
    due = Q(heartbeat_at=None) | Q(heartbeat_at__lte=now - EVERY)
    if not JobRun.objects.filter(due, task=task).update(heartbeat_at=now):
        return
    thread = threading.Thread(target=_ask_for, args=(task, address), name=f"heartbeat-{task}", daemon=True)
    thread.start()
    thread.join(min(_LONGEST_WAIT, seconds / 10))


def _ask_for(task: str, address: str) -> None:
    """Ask for an address, some times if need be. Neither the log nor a metric names the address: it is a secret."""
    reason = ""
    for attempt in range(_TRIES):
        time.sleep(_PAUSE if attempt else 0)
        request = urllib.request.Request(address, headers={"User-Agent": "Rungs"})  # noqa: S310 - the settings want HTTP
        try:
            urllib.request.urlopen(request, timeout=TIMEOUT).close()  # noqa: S310
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = type(error).__name__
        else:
            return
    metrics.HEARTBEAT_FAILURES.labels(task).inc()
    log.warning("The heartbeat of %s reached nobody: %s.", task, reason)
