"""Databases that answer but take no writes: full ones, and those that may only be read."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


def execute(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else 0


@contextmanager
def read_only() -> Iterator[None]:
    sqlite = connection.vendor == "sqlite"
    execute("PRAGMA query_only = 1" if sqlite else "SET default_transaction_read_only = on")
    try:
        yield
    finally:
        execute("PRAGMA query_only = 0" if sqlite else "SET default_transaction_read_only = off")


@contextmanager
def full() -> Iterator[None]:
    """No page can be added to the file."""
    execute("VACUUM")  # or it would use the pages that other tests left free
    pages = execute("PRAGMA page_count")
    most = execute("PRAGMA max_page_count")
    execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        execute(f"PRAGMA max_page_count = {most}")
