"""Rate limits: so many requests a minute, counted in the cache, so that all processes count together.

Fixed windows and atomic increments: exact at any concurrency, and at worst twice the limit across the border of
two windows. While the cache can't be reached each process counts for itself: see config/caches.py.
"""

import time
from typing import Any

from django.core.cache import cache

WINDOW = 60  # seconds


def count(scope: str, who: str, limit: int) -> int | None:
    """Count one more; the seconds to wait where that is over `limit` (0 = no limit), else None."""
    return _ask(scope, who, limit, add=1)


def seconds_to_wait(scope: str, who: str, limit: int) -> int | None:
    """The seconds to wait where `limit` has been reached; counts nothing."""
    return _ask(scope, who, limit, add=0)


def _ask(scope: str, who: str, limit: int, *, add: int) -> int | None:
    if not limit:
        return None
    window, elapsed = divmod(time.time(), WINDOW)
    key = f"limit:{scope}:{who}:{int(window)}"
    counted = _count(key) if add else cache.get(key, 0)
    return max(1, round(WINDOW - elapsed)) if counted + (1 - add) > limit else None


def _count(key: str) -> int:
    """One more in this window; a counter outlives its window and no more."""
    shared: Any = cache  # one of config.caches
    counted: int = shared.count(key, 2 * WINDOW)
    return counted
