"""Checks that the database takes writes: it may answer while its disk is full, while it is read-only, or a standby.

The check inserts a row of 16 kB, which needs room, and deletes it in the same transaction, which is committed. Its
outcome is kept for some seconds, so that frequent probes cost nothing.
"""

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.sessions.models import Session
from django.db import OperationalError, connection, transaction
from django.utils import timezone

KEPT = 5.0  # seconds
_BYTES = 8_192  # written as twice as many characters
_PATIENCE = 1_000  # milliseconds for another writer of SQLite, which has one at a time

_lock = threading.Lock()
_checked_at = float("-inf")  # on this process's monotonic clock
_failure: Exception | None = None


def check_writes() -> None:
    """Raise the database's error if it doesn't take writes, or didn't a few seconds ago."""
    global _checked_at, _failure
    with _lock:
        if time.monotonic() - _checked_at >= KEPT:
            _failure = _find_failure()
            _checked_at = time.monotonic()
        if _failure is not None:
            raise _failure.with_traceback(None)


def _find_failure() -> Exception | None:
    try:
        _write()
    except Exception as error:  # whatever it is, a result couldn't be written either
        return None if _is_busy(error) else error
    return None


def _write() -> None:
    """Write and delete a session that nobody sees: its transaction ends without it."""
    key = f"health{secrets.token_hex(12)}"
    with _short_wait(), transaction.atomic():
        Session.objects.create(session_key=key, session_data=secrets.token_hex(_BYTES), expire_date=timezone.now())
        Session.objects.filter(pk=key).delete()


@contextmanager
def _short_wait() -> Iterator[None]:
    """Have SQLite wait for other writers for a second only; PostgreSQL's writers don't wait for each other here."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {before}")


def _is_busy(error: Exception) -> bool:
    """True if somebody else is writing to SQLite for longer than the check waits: so it can be written."""
    return (
        isinstance(error, OperationalError) and getattr(error.__cause__, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY
    )
