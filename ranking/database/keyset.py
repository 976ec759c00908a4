"""Lists in pages of which each begins where the last one ended: by comparing whole rows, however deep.

A cursor is the sort key of a page's last row. It holds nothing secret and opens nothing: whatever it says, the
page is one of the same list.
"""

import base64
import binascii
import datetime as dt
import json
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

INT64 = range(-(2**63), 2**63)
_LONGEST_TEXT = 200


class BadCursor(ValueError):
    """A cursor that nobody was given."""


class RowCompared(Func):
    """(a, b, …) < (x, y, …) or the reverse, in SQLite and PostgreSQL: met by one search of an index."""

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
    """Columns that together are unique, with the kind of each: text, whole or moment."""

    columns: tuple[tuple[str, str], ...]
    descending: bool = False
    compared: type[RowCompared] = RowCompared

    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def cursor_of(self, row: Model) -> str:
        """What find_after wants for the rows after this one."""
        key = [_said(attrgetter(name.replace("__", "."))(row)) for name in self.names()]
        return base64.urlsafe_b64encode(json.dumps(key, ensure_ascii=False).encode()).decode().rstrip("=")

    def read_cursor(self, text: str) -> list[Value]:
        """The sort key of a cursor; raises BadCursor."""
        try:
            key = json.loads(base64.b64decode(text.encode("ascii") + b"==", b"-_"))
            if not isinstance(key, list) or len(key) != len(self.columns):
                raise ValueError("another list's")
            return [_read(kind, value) for (_, kind), value in zip(self.columns, key, strict=True)]
        except (ValueError, RecursionError, binascii.Error) as error:
            raise BadCursor("That page doesn't exist; follow `next` of the page before it.") from error

    def after(self, cursor: str) -> RowCompared:
        """A condition on the rows after a cursor's; raises BadCursor."""
        return self.compared("<" if self.descending else ">", self.names(), self.read_cursor(cursor))


def _said(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.datetime) else value


def _read(kind: str, value: Any) -> Value:
    """A value of this kind that a database takes; raises ValueError."""
    field: Field[Any, Any]
    match kind, value:
        case "whole", int() if not isinstance(value, bool) and value in INT64:
            field = BigIntegerField()
        case "text", str() if len(value) <= _LONGEST_TEXT and "\0" not in value:
            value.encode()  # no half of a surrogate pair
            field = CharField()
        case "moment", str():
            value = dt.datetime.fromisoformat(value)
            if value.utcoffset() != dt.timedelta():
                raise ValueError("cursors are in UTC")
            field = DateTimeField()
        case _:
            raise ValueError(f"no {kind}")
    return Value(value, field)
