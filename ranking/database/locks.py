"""Locks that belong to a transaction and to no row.

On PostgreSQL: advisory locks that end with the transaction. On SQLite every transaction is IMMEDIATE, so
writers already take turns and there is nothing to do.
"""

import time
import zlib
from collections.abc import Iterable

from django.db import connection

_MODE, _PUBLISHER, _TICKER = 1, 2, 3  # the first of an advisory lock's two numbers
_LOOK = 0.1  # seconds, after which SQLite's waiting writers look again at the latest


class Turns:
    """Long work of many transactions lets others write between them, on SQLite; the writers of PostgreSQL queue.

    Its waiting writers look now and then, and would miss the moment between two transactions for long.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()

    def pause(self) -> None:
        """Pause, unless this has written for so short a time that others would hardly have looked."""
        if connection.vendor == "sqlite" and time.monotonic() - self._since > _LOOK:
            time.sleep(_LOOK)
            self._since = time.monotonic()


def share_modes(slugs: Iterable[str]) -> None:
    """Keep these modes from being held by anybody, together with other writers."""
    if connection.vendor == "postgresql":
        numbers = sorted({_number(slug) for slug in slugs})
        with connection.cursor() as cursor:
            calls = ", ".join(["pg_advisory_xact_lock_shared(%s, %s)"] * len(numbers))
            cursor.execute(f"SELECT {calls}", [part for number in numbers for part in (_MODE, number)])


def hold_mode(slug: str) -> None:
    """Wait until no writer shares this mode, and keep new ones out."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_MODE, _number(slug)])


def hold_modes(slugs: Iterable[str]) -> None:
    """Hold several modes, in the order in which writers share them."""
    for slug in sorted(slugs, key=_number):
        hold_mode(slug)


def claim_publishing(slug: str) -> bool:
    """Become the one publisher of a mode; False where another is at work."""
    return _claim(_PUBLISHER, slug)


def claim_ticking(slug: str) -> bool:
    """Become the one who finds matches in a mode; False where another is at work."""
    return _claim(_TICKER, slug)


def _claim(work: int, slug: str) -> bool:
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [work, _number(slug)])
        return bool(cursor.fetchone()[0])


def hold_publishing(slug: str) -> None:
    """Wait until nobody publishes this mode, and keep new publishers out."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_PUBLISHER, _number(slug)])


def _number(slug: str) -> int:
    """A mode's signed 32 bits. Two modes that share them wait for each other now and then, no more."""
    return zlib.crc32(slug.encode()) - 2**31
