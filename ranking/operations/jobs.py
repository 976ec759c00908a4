"""One after the other, so that the trouble of one isn't that of the others."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from celery.exceptions import SoftTimeLimitExceeded

T = TypeVar("T")
R = TypeVar("R")

log = logging.getLogger(__name__)


def run_each(things: Iterable[T], work: Callable[[T], R], failure: str, name: Callable[[T], object] = str) -> list[R]:
    """What came of the work on each; where it failed, `failure` is logged with the thing's name, and the next is due.

    A task that is out of time ends here as everywhere.
    """
    done = []
    for thing in things:
        try:
            done.append(work(thing))
        except SoftTimeLimitExceeded:  # that is the worker's business
            raise
        except Exception:
            log.exception(failure, name(thing))
    return done
