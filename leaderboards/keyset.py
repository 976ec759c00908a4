"""Comparing whole rows in SQL, so that a page of a board is found by one search of its index, however deep."""

import datetime as dt
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, BooleanField, DateTimeField, F, Func, Value
from django.db.models.sql.compiler import SQLCompiler

from leaderboards.cursors import Cursor

AFTER, FROM, BEFORE = ">", ">=", "<"


class RowCompared(Func):
    """(board_order, published_reached_at, id) > (a, b, c), in SQLite and PostgreSQL."""

    output_field: BooleanField[Any, Any] = BooleanField()

    def __init__(self, operator: str, cursor: Cursor) -> None:
        moment: dt.datetime = cursor.reached_at
        super().__init__(
            F("board_order"),
            F("published_reached_at"),
            F("id"),
            Value(cursor.board_order, BigIntegerField()),
            Value(moment, DateTimeField()),
            Value(cursor.id, BigIntegerField()),
        )
        self.extra["operator"] = operator

    def as_sql(  # type: ignore[override]
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any
    ) -> tuple[str, list[Any]]:
        parts = [compiler.compile(part) for part in self.get_source_expressions()]
        row, values = (", ".join(sql for sql, _ in half) for half in (parts[:3], parts[3:]))
        return f"({row}) {self.extra['operator']} ({values})", [param for _, params in parts for param in params]
