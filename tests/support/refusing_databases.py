"""Databases that answer but take no writes: full ones, those that may only be read, and those that meet deadlocks."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.models import Model


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


@contextmanager
def deadlocks(model: type[Model], times: int) -> Iterator[None]:
    """PostgreSQL breaks off the next so many statements that insert rows of a model, as it does after a deadlock."""
    execute(f"CREATE SEQUENCE deadlocks MINVALUE 0 START 1 MAXVALUE {times}")  # a rollback leaves it as it is
    execute(
        "CREATE FUNCTION meet_deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM nextval('deadlocks'); RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected';"
        " EXCEPTION WHEN sequence_generator_limit_exceeded THEN RETURN NULL; END $$"
    )
    execute(f"CREATE TRIGGER meet_deadlock BEFORE INSERT ON {model._meta.db_table} EXECUTE FUNCTION meet_deadlock()")
    try:
        yield
    finally:
        execute("DROP FUNCTION meet_deadlock CASCADE")
        execute("DROP SEQUENCE deadlocks")
