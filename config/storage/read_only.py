"""Has a database refuse writes until it is told otherwise, while pages are still read.

Requests that write are then answered 503 with Retry-After, as whenever a database refuses. PostgreSQL keeps this in the
database's own settings, for sessions that begin later; those that run are ended. SQLite has no such setting: a file
beside the database says so to each connection that is opened, and before each request.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakSet

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

_refusing: WeakSet[BaseDatabaseWrapper] = WeakSet()  # open connections to SQLite

PATIENCE = 10_000  # milliseconds that each session has to end


class SessionsRemain(Exception):
    """Sessions of PostgreSQL didn't end, so that they go on by the setting with which they began."""


def refuse_writes(connection: BaseDatabaseWrapper) -> None:
    """Refuse writes, once those who are writing have ended. Raises SessionsRemain.

    On SQLite a job that runs keeps its connection, and may write once more.
    """
    if connection.vendor == "sqlite":
        if _mark_of(connection).exists():
            return
        with connection.cursor() as cursor:
            _mark_of(connection).touch()
            cursor.execute("BEGIN IMMEDIATE")  # waits for whoever is writing
            cursor.execute("ROLLBACK")
    else:
        _set_on_postgresql(connection, "SET default_transaction_read_only = on")


def take_writes(connection: BaseDatabaseWrapper) -> None:
    """Take writes again. Raises SessionsRemain."""
    if connection.vendor == "sqlite":
        _mark_of(connection).unlink(missing_ok=True)
    else:
        _set_on_postgresql(connection, "RESET default_transaction_read_only")


def _set_on_postgresql(connection: BaseDatabaseWrapper, setting: str) -> None:
    """Change a setting of the database, and end the other sessions, which keep the one with which they began."""
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
        cursor.execute("SET default_transaction_read_only = off")  # of this session, which may have begun since
        cursor.execute(f"ALTER DATABASE {name} {setting}")
        others = (
            "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        cursor.execute(f"SELECT pid, pg_terminate_backend(pid, %s) {others}", [PATIENCE])
        remaining = [pid for pid, has_ended in cursor.fetchall() if not has_ended]
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(f"SELECT pid {others} AND pid = ANY(%s) ORDER BY pid", [remaining])
        if pids := ", ".join(str(pid) for (pid,) in cursor.fetchall()):  # others have ended by themselves
            raise SessionsRemain(
                f"Sessions of PostgreSQL don't end (pid {pids}): end them, or who holds them, and try again."
            )


def _mark_of(connection: BaseDatabaseWrapper) -> Path:
    name = Path(connection.settings_dict["NAME"])
    return name.with_name(f"{name.name}.read-only")


def obey(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Refuse writes on a new connection to SQLite if there is the mark; a receiver of Django's connection_created."""
    if connection.vendor == "sqlite" and _mark_of(connection).exists():
        _refusing.add(connections[connection.alias])  # `connection` may be Django's proxy of it
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = 1")


def obey_again(**signal: Any) -> None:
    """Close a connection to SQLite that was opened before the mark was made or removed; a receiver of request_started.

    In a transaction, as tests are, it stays open.
    """
    connection = connections["default"]
    if connection.vendor != "sqlite" or connection.connection is None or connection.in_atomic_block:
        return
    if _mark_of(connection).exists() is not (connection in _refusing):
        _refusing.discard(connection)
        connection.close()
