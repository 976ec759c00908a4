"""The plans of queries, as the database would make them for a large table."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

SORTS = "USE TEMP B-TREE FOR ORDER BY"  # what SQLite says if no index answers an order; PostgreSQL is forbidden to sort
_AS_IF_LARGE = "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off"


def plan_of(queries: Iterable[str], params: Sequence[Any] | None = None) -> str:
    """Return the lines of the plans of these queries. Call it in a transaction.

    Their values stand in their text, or are `params`: SQLite plans some queries better if it reads the values.
    """
    postgres, lines = connection.vendor == "postgresql", []
    with connection.cursor() as cursor:
        if postgres:
            cursor.execute(_AS_IF_LARGE)
        for sql in queries:
            cursor.execute(("EXPLAIN " if postgres else "EXPLAIN QUERY PLAN ") + sql, params)
            lines += [str(row[0] if postgres else row[3]) for row in cursor.fetchall()]
    return "\n".join(lines)
