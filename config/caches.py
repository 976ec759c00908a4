"""The profiles' caches: Django's, which also count.

While Redis can't be reached, the scaled profile's is this process's own memory: people go on logging in and results
are taken; limits hold for each process instead of all together, which refuses nobody who would have been let in.
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
from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

OWN_ENTRIES = 100_000  # of a process; the default, 300, would forget counters of limits
_PAUSE = 5.0  # seconds before Redis is asked again, so that not every request waits for it

log = structlog.get_logger(__name__)
_resume_at = 0.0  # of the monotonic clock, in this process


class LocalCache(LocMemCache):
    """The embedded profile's, in the process's memory."""

    def count(self, key: str, timeout: int) -> int:
        """One more under this key, which the first one makes; it is gone `timeout` seconds later."""
        try:
            return self.incr(key)
        except ValueError:  # there is none yet
            self.add(key, 0, timeout)  # does nothing where another was quicker
            return self.incr(key)


class _Client(RedisCacheClient):
    """Django's, which would make a new client of Redis for every command; it counts in one round trip.

    Each thread has its own (Django's caches are made so), and with it a connection that it keeps. One that broke since
    it was last used, as all do when Redis starts anew, is made again and the command sent once more.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, retry=Retry(NoBackoff(), 1, (exceptions.ConnectionError,)), **kwargs)
        self._client: Any = functools.partial(Redis, single_connection_client=True)
        self._clients: dict[int, Any] = {}  # by process: a fork mustn't go on with its parent's

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        process = os.getpid()
        if process not in self._clients:
            self._clients[process] = super().get_client(key, write=write)  # there is one server
        return self._clients[process]

    def count(self, key: str, timeout: int) -> int:
        client = self.get_client(key, write=True)
        counted = int(client.incr(key))
        if counted <= 2:  # 2 where a connection broke over the first, which was then sent again
            client.expire(key, timeout)
        return counted


class _OnRedis(RedisCache):
    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _Client

    def count(self, key: str, timeout: int) -> int:
        client: Any = self._cache
        counted: int = client.count(self.make_and_validate_key(key), timeout)
        return counted


def _degrading(name: str) -> Callable[..., Any]:
    """The method of Redis, or that of the process's own memory."""

    def method(self: SharedCache, *args: Any, **kwargs: Any) -> Any:
        global _resume_at
        if time.monotonic() >= _resume_at:
            try:
                return getattr(_OnRedis, name)(self, *args, **kwargs)
            except (exceptions.RedisError, OSError) as error:
                _resume_at = time.monotonic() + _PAUSE
                log.warning("cache_gone", reason=f"{type(error).__name__}: {error}", seconds=_PAUSE)
        return getattr(self.own, name)(*args, **kwargs)

    return method


class SharedCache(_OnRedis):
    """The scaled profile's: everything that caches do, whether or not Redis answers."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.own = LocalCache("while Redis is gone", {"OPTIONS": {"MAX_ENTRIES": OWN_ENTRIES}})

    def check(self) -> None:
        """Raises what is wrong with Redis."""
        self._cache.get_client(None, write=True).ping()

    add, get, set, touch, delete, has_key, incr, count = map(
        _degrading, ("add", "get", "set", "touch", "delete", "has_key", "incr", "count")
    )
    get_many, set_many, delete_many, clear = map(_degrading, ("get_many", "set_many", "delete_many", "clear"))
