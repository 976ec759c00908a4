"""Errors by which a database refuses: it can't be reached, is full, or may only be read. They are counted."""

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError, connection
from prometheus_client import Counter

# The database can't be reached, a wait took too long, the disk is full, or the database is read-only.
DATABASE_REFUSES = (OperationalError, InterfaceError, InternalError)
ERRORS = Counter(
    "rungs_database_errors",
    "Times the database refused: in a request, in a job, or in a transaction that was then tried again.",
    ["during"],
)


def count_refusal(error: BaseException | None, *, during: str) -> bool:
    """True if the database has refused by this error, which is then counted."""
    if not isinstance(error, DATABASE_REFUSES):
        return False
    ERRORS.labels(during).inc()
    return True


def is_told_to_refuse(error: BaseException | None) -> bool:
    """True if the database has refused because it was told to take no writes for a while, as it is during a move.

    A query, if the database has refused at all. Work that is done again later can be left alone then.
    """
    if not isinstance(error, DATABASE_REFUSES):
        return False
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "PRAGMA query_only" if connection.vendor == "sqlite" else "SHOW default_transaction_read_only"
            )
            return cursor.fetchone()[0] in (1, "on")
    except DatabaseError:
        return False
