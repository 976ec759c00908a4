"""Locks that belong to a transaction and to no row.

On PostgreSQL: advisory locks that end with the transaction. On SQLite every transaction is IMMEDIATE, so
writers already take turns and there is nothing to do.
"""

from collections.abc import Iterable

from django.db import connection

_MODE, _PUBLISHER = 1, 2  # the first of an advisory lock's two numbers


def share_modes(mode_ids: Iterable[int]) -> None:
    """Keep these modes from being held by anybody, together with other writers."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for mode_id in sorted(set(mode_ids)):
                cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_MODE, mode_id])


def hold_mode(mode_id: int) -> None:
    """Wait until no writer shares this mode, and keep new ones out."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_MODE, mode_id])


def claim_publishing(mode_id: int) -> bool:
    """Become the one publisher of a mode; False where another is at work."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_PUBLISHER, mode_id])
        return bool(cursor.fetchone()[0])
