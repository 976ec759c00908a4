"""Runs jobs: each run is timed and counted, and its success noted. A failure for one item doesn't stop the others.

Celery's workers and `manage.py jobs` both call a task's `__call__`, so every run is seen here once.
"""

import contextvars
import functools
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from celery import Celery, Task
from celery.exceptions import SoftTimeLimitExceeded

from ranking.database.errors import count_refusal, is_told_to_refuse
from ranking.operations import metrics

T = TypeVar("T")
R = TypeVar("R")

log = logging.getLogger(__name__)
_TELL_EVERY = 60.0  # seconds
_told: dict[str, float] = {}  # when a job's dropped messages were logged, on the monotonic clock
# By task: whether a run would find something to do, at the cost of a query or two.
WORK_CHECKS: dict[str, Callable[[], bool]] = {}
# How many items have failed in the run at hand.
_failed_items: contextvars.ContextVar[list[str]] = contextvars.ContextVar("failed_items")


class Job(Task[Any, Any]):
    """The class of all tasks. A run of a task that beat doesn't start isn't observed."""

    abstract = True

    def __call__(self, *args: object, **kwargs: object) -> object:
        run = functools.partial(super().__call__, *args, **kwargs)
        name = _job_of(self.app, self.name)
        return run_observed(name, run) if name else run()


def _job_of(app: Celery, task: str) -> str:
    """The name in the beat schedule of a task; "" if beat doesn't start it."""
    return next((name for name, entry in app.conf.beat_schedule.items() if entry["task"] == task), "")


def has_work(task: str) -> bool:
    """False if a run of this task would find nothing to do."""
    return task not in WORK_CHECKS or WORK_CHECKS[task]()


def note_dropped(app: Celery, task: str) -> None:
    """Count a message of this task that no worker took until the next one was due, and log it once a minute."""
    name = _job_of(app, task)
    metrics.JOB_DROPPED.labels(name).inc()
    if time.monotonic() - _told.get(name, float("-inf")) >= _TELL_EVERY:
        _told[name] = time.monotonic()
        log.info("A message of the job %s was dropped: its queue's processes were busy until the next one came.", name)


def run_observed(task: str, run: Callable[[], R]) -> R | None:
    """Run a job of the beat schedule. It succeeds if it raises nothing and fails for no item of `run_each`.

    A job that is refused because the database takes no writes for a while, as during a move, waits: it returns None.
    """
    failed: list[str] = []
    outer = _failed_items.set(failed)
    began = time.perf_counter()
    try:
        result = run()
    except Exception as error:
        if is_told_to_refuse(error):
            return None
        metrics.JOB_FAILURES.labels(task).inc()
        count_refusal(error, during="job")
        raise
    finally:
        seconds = time.perf_counter() - began
        metrics.JOB_SECONDS.labels(task).observe(seconds)
        _failed_items.reset(outer)
    if failed:
        metrics.JOB_FAILURES.labels(task).inc()
    else:
        from ranking.operations.job_runs import note_success  # Celery loads this module before Django's models

        note_success(task, seconds=seconds)
    return result


def run_each(items: Iterable[T], job: Callable[[T], R], failure: str, name: Callable[[T], object] = str) -> list[R]:
    """Run the job for each item; returns the results of the items that succeeded.

    If the job fails, `failure` is logged with the item's name, and counted under the job's. If the Celery task runs out
    of time, the loop ends.
    """
    results = []
    for item in items:
        try:
            results.append(job(item))
        except SoftTimeLimitExceeded:  # the worker handles it
            raise
        except Exception as error:
            if is_told_to_refuse(error):
                raise  # so do the others
            log.exception(failure, name(item))
            metrics.ITEM_FAILURES.labels(_name_of(job)).inc()
            count_refusal(error, during="job")
            _failed_items.get([]).append(_name_of(job))
    return results


def _name_of(job: object) -> str:
    """The name of a job's function, also if some of its arguments are given."""
    return str(getattr(getattr(job, "func", job), "__name__", "job")).strip("_")
