"""Runs a job for each item; a failure is logged, and the job goes on with the next item."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded

from ranking.operations import metrics

T = TypeVar("T")
R = TypeVar("R")

log = logging.getLogger(__name__)


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
        except Exception:
            log.exception(failure, name(item))
            metrics.FAILURES.labels(_name_of(job)).inc()
    return results


def _name_of(job: object) -> str:
    """The name of a job's function, also if some of its arguments are given."""
    return str(getattr(getattr(job, "func", job), "__name__", "job")).strip("_")
