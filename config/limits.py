"""Rate limits: so many requests a minute, counted in the cache, so that all processes count together.

Fixed windows and atomic increments: exact at any concurrency, and at worst twice the limit across the border of
two windows. Where the cache can't be reached nothing is limited: a result that is refused is worse than one
too many.
"""

import time

import structlog
from django.core.cache import cache

WINDOW = 60  # seconds
_PAUSE = 5.0  # seconds without limits after the cache failed, so that not every request waits for it

log = structlog.get_logger(__name__)
_resume_at = 0.0  # of the monotonic clock, in this process


def count(scope: str, who: str, limit: int) -> int | None:
    """Count one more; the seconds to wait where that is over `limit` (0 = no limit), else None."""
    return _ask(scope, who, limit, add=1)


def look(scope: str, who: str, limit: int) -> int | None:
    """The seconds to wait where `limit` has been reached; counts nothing."""
    return _ask(scope, who, limit, add=0)


def _ask(scope: str, who: str, limit: int, *, add: int) -> int | None:
    global _resume_at
    if not limit or time.monotonic() < _resume_at:
        return None
    window, elapsed = divmod(time.time(), WINDOW)
    key = f"limit:{scope}:{who}:{int(window)}"
    try:
        counted = _increased(key) if add else cache.get(key, 0)
    except Exception as error:  # each cache has its own errors; none may cost a request
        _resume_at = time.monotonic() + _PAUSE
        log.warning("limits_off", reason=f"{type(error).__name__}: {error}", seconds=_PAUSE)
        return None
    return max(1, round(WINDOW - elapsed)) if counted + (1 - add) > limit else None


def _increased(key: str) -> int:
    """One more in this window; the first one makes the counter, which outlives its window and no more."""
    try:
        return cache.incr(key)
    except ValueError:  # there is none yet
        cache.add(key, 0, timeout=2 * WINDOW)  # does nothing where another was quicker
        return cache.incr(key)
