"""Cache backends: Django's, with an atomic counter.

While Redis can't be reached, the scaled profile uses each process's own memory: people can still log in, and results
are accepted. Rate limits then hold for each process instead of for all together, so nobody is refused wrongly.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from prometheus_client import Counter
from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

LOCAL_ENTRIES = 100_000  # in a process's memory, unless the setting says otherwise
_PAUSE = 5.0  # seconds until Redis is tried again, so that not every request waits for it

ERRORS = Counter("rungs_cache_errors", "Times Redis didn't answer; each process tries again after 5 s.")

log = structlog.get_logger(__name__)
_retry_at = 0.0  # on this process's monotonic clock


class LocalCache(LocMemCache):
    """The cache of the embedded profile, in the process's memory."""

    def count(self, key: str, timeout: int) -> int:
        """Add one to a counter and return it. The first call makes it; it expires `timeout` seconds later."""
        try:
            return self.incr(key)
        except ValueError:  # no counter yet
            self.add(key, 0, timeout)  # does nothing if another thread was quicker
            return self.incr(key)


class _Client(RedisCacheClient):
    """Django's client, but it keeps its connection, and counts in one round trip. Django's makes one for every command.

    Each thread has a client of its own (Django makes a cache object for each thread), so each has a connection. If
    the connection broke since it was last used, because Redis was restarted, the client connects again and sends the
    command once more.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, retry=Retry(NoBackoff(), 1, (exceptions.ConnectionError,)), **kwargs)
        self._client: Any = functools.partial(Redis, single_connection_client=True)
        self._clients: dict[int, object] = {}  # by process id: a forked process must not use its parent's connection

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        process = os.getpid()
        if process not in self._clients:
            self._clients[process] = super().get_client(key, write=write)  # reads and writes use the same server
        return self._clients[process]

    def count(self, key: str, timeout: int) -> int:
        client = self.get_client(key, write=True)
        value = int(client.incr(key))
        if value <= 2:  # 2 if the connection broke at the first INCR, which was then sent again
            client.expire(key, timeout)
        return value


class _RedisCache(RedisCache):
    def __init__(self, server: Any, params: dict[str, object]) -> None:
        super().__init__(server, params)
        self._class = _Client

    def count(self, key: str, timeout: int) -> int:
        client: Any = self._cache
        value: int = client.count(self.make_and_validate_key(key), timeout)
        return value


def _with_fallback(name: str) -> Callable[..., Any]:
    """Make a cache method that uses Redis, or the process's own memory while Redis can't be reached."""

    def method(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        global _retry_at
        if time.monotonic() >= _retry_at:
            try:
                return getattr(_RedisCache, name)(self, *args, **kwargs)
            except (exceptions.RedisError, OSError) as error:
                _retry_at = time.monotonic() + _PAUSE
                ERRORS.inc()
                log.warning("cache_gone", reason=f"{type(error).__name__}: {error}", seconds=_PAUSE)
        return getattr(self.local, name)(*args, **kwargs)

    return method


class SharedCache(_RedisCache):
    """The cache of the scaled profile, in Redis; it works even if Redis doesn't answer."""

    def __init__(self, server: Any, params: dict[str, object]) -> None:
        super().__init__(server, params)
        entries = params.get("max_entries", LOCAL_ENTRIES)
        self.local = LocalCache(f"while Redis is gone, {entries}", {"max_entries": entries})

    def check(self) -> None:
        """Raise the error of the Redis library if Redis doesn't answer."""
        self._cache.get_client(None, write=True).ping()

    add, get, set, touch, delete, has_key, incr, count = map(
        _with_fallback, ("add", "get", "set", "touch", "delete", "has_key", "incr", "count")
    )
    get_many, set_many, delete_many, clear = map(_with_fallback, ("get_many", "set_many", "delete_many", "clear"))
