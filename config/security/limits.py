"""Rate limits: so many requests a minute, counted in the cache for all processes together.

The windows are fixed and the increments atomic, so the count is exact under concurrency. Around the border of two
windows, up to twice the limit may pass. While the cache can't be reached, each process counts on its own: see
config/caches.py.
"""

import time
from typing import Any

from django.core.cache import cache

WINDOW = 60  # seconds


def count(scope: str, who: str, limit: int) -> int | None:
    """Count one request; returns the seconds to wait if that is over `limit` (0 = no limit), else None."""
    return _seconds_to_wait(scope, who, limit, add=1)


def seconds_to_wait(scope: str, who: str, limit: int) -> int | None:
    """Return the seconds to wait if `limit` has been reached, else None; counts nothing."""
    return _seconds_to_wait(scope, who, limit, add=0)


def _seconds_to_wait(scope: str, who: str, limit: int, *, add: int) -> int | None:
    if not limit:
        return None
    window, elapsed = divmod(time.time(), WINDOW)
    key = f"limit:{scope}:{who}:{int(window)}"
    requests = _count(key) if add else cache.get(key, 0)
    return max(1, round(WINDOW - elapsed)) if requests + (1 - add) > limit else None


def _count(key: str) -> int:
    """Add one to a window's counter and return it. The counter ends soon after its window."""
    shared: Any = cache  # a backend of config.caches
    requests: int = shared.count(key, 2 * WINDOW)
    return requests
