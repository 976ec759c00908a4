"""Keyset pagination: the next page is the rows after the last row's sort key, found by one search of an index.

A page costs the same however deep it lies. `cursors` writes sort keys for addresses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    BooleanField,
    CharField,
    DateTimeField,
    Expression,
    F,
    Field,
    Func,
    Model,
    Subquery,
    Value,
)
from django.db.models.sql.compiler import SQLCompiler

from ranking.database.cursors import read_cursor, write_cursor

_FIELDS: dict[str, type[Field[Any, Any]]] = {"whole": BigIntegerField, "text": CharField, "moment": DateTimeField}


class RowCompared(Func):
    """A condition (a, b, …) < (x, y, …), or with another operator, that one search of an index answers.

    SQLite and PostgreSQL both compare rows.
    """

    output_field: BooleanField[Any, Any] = BooleanField()

    def __init__(self, operator: str, names: Sequence[str], values: Sequence[Expression | Subquery]) -> None:
        super().__init__(*(F(name) for name in names), *values)
        self.extra["operator"] = operator

    def as_sql(  # type: ignore[override]
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **more: Any
    ) -> tuple[str, list[Any]]:
        parts = [compiler.compile(part) for part in self.get_source_expressions()]
        half = len(parts) // 2
        row, values = (", ".join(sql for sql, _ in side) for side in (parts[:half], parts[half:]))
        return f"({row}) {self.extra['operator']} ({values})", [param for _, params in parts for param in params]


@dataclass(frozen=True, slots=True)
class Order:
    """The columns that a list is sorted by, together unique, with the kind of each: text, whole or moment."""

    columns: tuple[tuple[str, str], ...]
    descending: bool = False
    compared: type[RowCompared] = RowCompared

    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def kinds(self) -> list[str]:
        return [kind for _, kind in self.columns]

    def cursor_of(self, row: Model) -> str:
        """Return the cursor that `after` takes for the rows after this one."""
        return write_cursor([attrgetter(name.replace("__", "."))(row) for name in self.names()])

    def read_cursor(self, text: str) -> list[Any]:
        """Return the sort key of a cursor; raise BadCursor."""
        return read_cursor(text, self.kinds())

    def after(self, cursor: str) -> RowCompared:
        """Return a condition on the rows after a cursor's; raise BadCursor."""
        return self.after_key(self.read_cursor(cursor))

    def after_key(self, key: Sequence[object]) -> RowCompared:
        """Return a condition on the rows after the one with this sort key."""
        values = [Value(value, _FIELDS[kind]()) for kind, value in zip(self.kinds(), key, strict=True)]
        return self.compared("<" if self.descending else ">", self.names(), values)
