"""Moments as whole numbers, in SQL."""

from __future__ import annotations

from typing import Any

from django.db.models import BigIntegerField, Func


class Microseconds(Func):
    """A moment as microseconds since 1970.

    A thousand whole numbers are read much faster than a thousand datetimes.
    """

    output_field = BigIntegerField()
    arity = 1

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(EXTRACT(EPOCH FROM %(expressions)s) * 1000000)::bigint", **more
        )

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        # SQLite keeps a moment as text: '2026-05-20 12:00:00', with '.123456' if it has microseconds.
        seconds = "strftime('%%%%s', %(expressions)s) * 1000000"
        fraction = "CAST(substr(%(expressions)s, 21) AS INTEGER)"
        return self.as_sql(compiler, connection, template=f"({seconds} + {fraction})", **more)
