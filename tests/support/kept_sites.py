"""Databases of browsed sites: each is filled once a process, and restored for each test that asks for it."""

import sqlite3
from collections.abc import Callable

from django.db import connection

from tests.support.caches import forget_everything

_kept: dict[Callable[[], None], sqlite3.Connection] = {}


def restore_or(fill: Callable[[], None]) -> None:
    """Make the database what it was when `fill` had filled it first; else fill it and keep a copy in memory."""
    connection.ensure_connection()
    if fill in _kept:
        _kept[fill].backup(connection.connection)
        forget_everything()
    else:
        fill()
        _kept[fill] = sqlite3.connect(":memory:", check_same_thread=False)
        connection.connection.backup(_kept[fill])
