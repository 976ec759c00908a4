"""Errors by which a database refuses: it can't be reached, is full, or may only be read. They are counted."""

from django.db import InterfaceError, InternalError, OperationalError
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
