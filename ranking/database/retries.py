"""Retries transactions after deadlocks and serialization failures, as PostgreSQL advises: up to three times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection

P = ParamSpec("P")
T = TypeVar("T")
TRIES = 4
_TRANSIENT = ("40001", "40P01")  # serialization failure, deadlock


def is_transient(error: Exception) -> bool:
    """True for a deadlock or a serialization failure of PostgreSQL.

    A full disk, or SQLite's lock, for which it has waited already, won't be better at once.
    """
    return getattr(error.__cause__, "sqlstate", None) in _TRANSIENT


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """Make a function that is one transaction retry; inside a transaction of its caller it isn't retried."""

    @wraps(work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(TRIES - 1):
            try:
                return work(*args, **kwargs)
            except OperationalError as error:
                if connection.in_atomic_block or not is_transient(error):
                    raise
        return work(*args, **kwargs)

    return tried
