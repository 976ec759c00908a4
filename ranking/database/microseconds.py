"""Moments as whole microseconds since 1970, the form that columns and cursors keep, in Python and in SQL."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Func
from django.db.models.sql.compiler import SQLCompiler

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def moment_at(microseconds: int) -> dt.datetime:
    """Return the moment so many microseconds after 1970 began; raise OverflowError beyond the year 9999."""
    return _EPOCH + microseconds * _MICROSECOND


def microseconds_of(moment: dt.datetime) -> int:
    """Return how many microseconds after 1970 began a moment is: the inverse of `moment_at`."""
    return (moment - _EPOCH) // _MICROSECOND


class Microseconds(Func):
    """A moment as microseconds since 1970.

    A thousand whole numbers are read much faster than a thousand datetimes.
    """

    output_field = BigIntegerField()
    arity = 1

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        return self.as_sql(
            compiler, connection, template="(EXTRACT(EPOCH FROM %(expressions)s) * 1000000)::bigint", **more
        )

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: str) -> tuple[str, Any]:
        # SQLite keeps a moment as text: '2026-05-20 12:00:00', with '.123456' if it has microseconds.
        seconds = "strftime('%%%%s', %(expressions)s) * 1000000"
        fraction = "CAST(substr(%(expressions)s, 21) AS INTEGER)"
        sql, params = self.as_sql(compiler, connection, template=f"({seconds} + {fraction})", **more)
        return sql, (*params, *params)
