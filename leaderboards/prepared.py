"""Queries whose SQL is made once and not for every request: the ORM writes it, with names where values will be.

A board page is read far oftener than anything else, and writing its SQL anew took longer than running it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, QuerySet
from django.db.models.sql.compiler import SQLCompiler

Convert = Callable[[Any, Any, BaseDatabaseWrapper], Any]


class Given(Expression):
    """A value of which a query knows only the name and the kind."""

    def __init__(self, name: str, kind: Field[Any, Any]) -> None:
        super().__init__(kind)
        self.name, self.kind = name, kind

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:  # type: ignore[override]
        return "%s", [self]

    def said(self, given: dict[str, Any]) -> Any:
        """The value, as the database wants it."""
        return self.kind.get_db_prep_value(given[self.name], connection)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The SQL of a query that gives rows of values, and how to read each column that needs it."""

    sql: str
    params: tuple[Any, ...]
    converters: tuple[tuple[int, tuple[Convert, ...], Any], ...]

    def rows(self, **given: Any) -> Sequence[Sequence[Any]]:
        """The rows for these values."""
        params = [param.said(given) if isinstance(param, Given) else param for param in self.params]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            found: list[Sequence[Any]] = cursor.fetchall()
        return [self._converted(row) for row in found] if self.converters else found

    def _converted(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for column, converters, expression in self.converters:
            for convert in converters:
                values[column] = convert(values[column], expression, connection)
        return values


def prepare(rows: QuerySet[Any, Any]) -> Prepared:
    """The query of `values_list`, in which values may be `Given`."""
    compiler = rows.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    found = compiler.get_converters([expression for expression, _, _ in compiler.select])
    return Prepared(sql, tuple(params), tuple((column, tuple(how), what) for column, (how, what) in found.items()))
