"""Runs a job for each item; a failure is logged, and the job goes on with the next item."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded

T = TypeVar("T")
R = TypeVar("R")

log = logging.getLogger(__name__)


def run_each(items: Iterable[T], job: Callable[[T], R], failure: str, name: Callable[[T], object] = str) -> list[R]:
    """Run the job for each item; returns the results of the items that succeeded.

    If the job fails, `failure` is logged with the item's name. If the Celery task runs out of time, the loop ends.
    """
    results = []
    for item in items:
        try:
            results.append(job(item))
        except SoftTimeLimitExceeded:  # the worker handles it
            raise
        except Exception:
            log.exception(failure, name(item))
    return results
