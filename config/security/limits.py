"""Rate limits: so many requests a minute, counted in the cache for all processes together.

The windows are fixed and the increments atomic, so the count is exact under concurrency. Around the border of two
windows, up to twice the limit may pass. While the cache can't be reached, each process counts on its own: see
config/storage/caches.py.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

WINDOW = 60  # seconds


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left of a limit. `limit`: requests a window; `reset`: seconds until the next window begins."""

    limit: int
    requests: int
    reset: int

    @property
    def wait(self) -> int | None:
        """The seconds to wait if the counted request is over the limit, else None."""
        return self.reset if self.requests > self.limit else None

    def headers(self) -> dict[str, str]:
        remaining = max(0, self.limit - self.requests)
        numbers = {"Limit": self.limit, "Remaining": remaining, "Reset": self.reset}
        return {f"RateLimit-{name}": str(number) for name, number in numbers.items()}


def take(scope: str, who: str, limit: int) -> Quota | None:
    """Count one request and return what is left; None without a limit (0)."""
    return _quota(scope, who, limit, add=1)


def count(scope: str, who: str, limit: int) -> int | None:
    """Count one request; returns the seconds to wait if that is over `limit` (0 = no limit), else None."""
    quota = take(scope, who, limit)
    return None if quota is None else quota.wait


def seconds_to_wait(scope: str, who: str, limit: int) -> int | None:
    """Return the seconds to wait if `limit` has been reached, else None; counts nothing."""
    quota = _quota(scope, who, limit, add=0)
    return None if quota is None else quota.wait


def _quota(scope: str, who: str, limit: int, *, add: int) -> Quota | None:
    """Return what is left after this request, which is counted if `add` is 1."""
    if not limit:
        return None
    window, elapsed = divmod(time.time(), WINDOW)
    key = f"limit:{scope}:{who}:{int(window)}"
    requests = _count(key) if add else cache.get(key, 0) + 1
    return Quota(limit, requests, math.ceil(WINDOW - elapsed))


def _count(key: str) -> int:
    """Add one to a window's counter and return it. The counter ends soon after its window."""
    shared: Any = cache  # a backend of config.storage.caches
    requests: int = shared.count(key, 2 * WINDOW)
    return requests
