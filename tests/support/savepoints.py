"""Savepoints that are rolled back: rows of one test that don't see each other."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from tests.support.caches import forget_everything


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo what the block writes, also in caches. A key that it broke is an error, as it is at the end of a test."""
    forget_everything()
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined] # durable blocks may be inside
    try:
        with block:
            yield
            if not connection.needs_rollback:
                connection.check_constraints()
            transaction.set_rollback(True)
    finally:
        forget_everything()
