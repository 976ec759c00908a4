"""Retries transactions after deadlocks and serialization failures, as PostgreSQL advises: up to three times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError, OperationalError, connection

from ranking.database.errors import count_refusal

P = ParamSpec("P")
T = TypeVar("T")
TRIES = 4
_TRANSIENT = ("40001", "40P01")  # serialization failure, deadlock


def is_transient(error: Exception) -> bool:
    """True for a deadlock or a serialization failure of PostgreSQL, unless it has ended a transaction of the caller.

    A full disk, or SQLite's lock, for which it has waited already, won't be better at once.
    """
    failed = isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) in _TRANSIENT
    return failed and not connection.in_atomic_block


def run_retried(transaction: Callable[[], T], may_succeed: Callable[[Exception], bool] = is_transient) -> T:
    """Run a transaction, and again up to three times after errors of the database after which it may succeed."""
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except DatabaseError as error:
            if not may_succeed(error):
                raise
            count_refusal(error, during="retried")
    return transaction()


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """Make a function that is one transaction retry; inside a transaction of its caller it isn't retried."""

    @wraps(work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        given: list[Any] = [list(value) if isinstance(value, Iterator) else value for value in args]
        return run_retried(partial(work, *given, **kwargs))  # an iterator is read only once

    return tried
