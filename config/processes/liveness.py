"""A file that a worker or beat touches while it is at work: a health check asks for its age, and starts no Python.

`find $RUNGS_ALIVE -mmin -2 | grep -q .` succeeds for a process that is at work. The worker's main loop touches the
file, not its jobs: a worker that is busy is at work, and one whose loop stands still isn't. A worker that looks for its
broker is at work, too: starting it again wouldn't bring the broker back, but would break off its jobs.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from django.conf import settings

EVERY = 2.0  # seconds between two touches

log = structlog.get_logger(__name__)


def touch() -> None:
    """Note that this process is at work, if RUNGS_ALIVE names a file."""
    if not settings.ALIVE:
        return
    try:
        Path(settings.ALIVE).touch()
    except OSError as error:
        log.warning("alive_not_noted", file=settings.ALIVE, reason=error.strerror)


@contextmanager
def kept_alive() -> Iterator[None]:
    """Touch the file meanwhile, from a thread."""
    over = threading.Event()

    def keep() -> None:
        touch()
        while not over.wait(EVERY):
            touch()

    thread = threading.Thread(target=keep, name="kept-alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
