"""Queries whose SQL is made once and not for every request: the ORM writes it, with names where values will be.

Board pages are read and results recorded far oftener than anything else happens, and writing their SQL anew took
longer than running it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import BooleanField, Expression, F, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

Convert = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Sql = tuple[str, list[Any]]
M = TypeVar("M", bound=Model)


class Placeholder(Expression):
    """A value of which a query knows only the name and the kind."""

    def __init__(self, name: str, kind: Field[Any, Any]) -> None:
        super().__init__(kind)
        self.name, self.kind = name, kind

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:  # type: ignore[override]
        return "%s", [self]

    def said(self, given: dict[str, Any]) -> Any:
        """The value, as the database wants it."""
        return self.kind.get_db_prep_value(given[self.name], connection)


class OpaquePlaceholder(Placeholder):
    """One that PostgreSQL's planner isn't shown: the plan, made for any value, is made once and kept.

    For bounds of which it thinks that one value wants another plan, and so makes a plan for each.
    """

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        return f"(SELECT %s::{self.kind.db_type(connection)})", [self]


class InPlaceholder(Expression):
    """A condition: the field is one of a collection of values, of which the query knows only the name and the kind."""

    def __init__(self, field: str, name: str, kind: Field[Any, Any]) -> None:
        super().__init__(BooleanField())
        self.column: Any = F(field)  # resolved with the query
        self.given: Any = _ArrayPlaceholder(name, kind)

    def get_source_expressions(self) -> list[Any]:
        return [self.column, self.given]

    def set_source_expressions(self, exprs: Sequence[Any]) -> None:
        self.column, self.given = exprs

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:  # type: ignore[override]
        (field, params), (given, values) = compiler.compile(self.column), compiler.compile(self.given)
        if connection.vendor == "postgresql":
            return f"{field} = ANY({given}::{self.given.kind.db_type(connection)}[])", [*params, *values]
        return f"{field} IN (SELECT value FROM json_each({given}))", [*params, *values]  # noqa: S608 - compiled


class _ArrayPlaceholder(Placeholder):
    def said(self, given: dict[str, Any]) -> Any:
        values: Collection[Any] = given[self.name]
        return list(values) if connection.vendor == "postgresql" else json.dumps(list(values))


@dataclass(frozen=True, slots=True)
class Prepared:
    """The SQL of a query that gives rows of values, and how to read each column that needs it."""

    sql: str
    params: tuple[Any, ...]
    converters: tuple[tuple[int, tuple[Convert, ...], Any], ...]

    def rows(self, **given: Any) -> Sequence[Sequence[Any]]:
        """The rows for these values."""
        return self.ask(**given)()

    def ask(self, **given: Any) -> Callable[[], Sequence[Sequence[Any]]]:
        """Send the query; what is returned gives the rows. Several asked `together` take one round trip."""
        params = [param.said(given) if isinstance(param, Placeholder) else param for param in self.params]
        cursor = connection.cursor()
        cursor.execute(self.sql, params)
        if connection.vendor == "postgresql":
            return lambda: self._fetch(cursor)
        found = self._fetch(cursor)  # SQLite would go on reading while others write
        return lambda: found

    def _fetch(self, cursor: CursorWrapper) -> Sequence[Sequence[Any]]:
        with cursor:
            found: list[Sequence[Any]] = cursor.fetchall()
        return [self._converted(row) for row in found] if self.converters else found

    def _converted(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for column, converters, expression in self.converters:
            for convert in converters:
                values[column] = convert(values[column], expression, connection)
        return values


@contextmanager
def pipeline() -> Iterator[None]:
    """Statements within go to PostgreSQL at once, up to one whose answer is read.

    What one of them raises may come at the end.
    """
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def prepare(rows: QuerySet[Any, Any]) -> Prepared:
    """The query of `values_list`, in which values may be `Given` and conditions `Among`."""
    return _prepared(rows.query.get_compiler(connection=connection))


def _prepared(compiler: SQLCompiler) -> Prepared:
    sql, params = compiler.as_sql()
    found = compiler.get_converters([expression for expression, _, _ in compiler.select])
    wanted = ((column, how, what) for column, (how, what) in found.items() if not _is_whole(what))
    return Prepared(sql, tuple(params), tuple((column, tuple(how), what) for column, how, what in wanted))


def _is_whole(expression: Any) -> bool:
    """Of whole numbers, which both databases give as such; Django would convert them once more."""
    return bool(expression.output_field.get_internal_type().endswith("IntegerField"))


@dataclass(frozen=True, slots=True)
class PreparedModels(Generic[M]):
    """The SQL of a query that gives objects of a model, with those selected along and annotations."""

    prepared: Prepared
    model: type[M]
    attributes: tuple[str, ...]  # of the model, the first columns
    related: tuple[Any, ...]
    annotations: tuple[tuple[str, int], ...]

    def objects(self, **given: Any) -> list[M]:
        """The objects for these values."""
        return self.ask(**given)()

    def ask(self, **given: Any) -> Callable[[], list[M]]:
        """Send the query; what is returned gives the objects. Several asked `together` take one round trip."""
        rows = self.prepared.ask(**given)
        return lambda: [self._object(row) for row in rows()]

    def _object(self, row: Sequence[Any]) -> M:
        found = self.model.from_db(connection.alias, self.attributes, row[: len(self.attributes)])
        for populator in self.related:
            populator.populate(row, found)
        for name, column in self.annotations:
            setattr(found, name, row[column])
        return found


def prepare_models(rows: QuerySet[M, M]) -> PreparedModels[M]:
    """The query of objects, in which values may be `Given` and conditions `Among`."""
    compiler = rows.query.get_compiler(connection=connection)
    prepared = _prepared(compiler)
    own = compiler.klass_info["select_fields"]
    attributes = tuple(compiler.select[column][0].target.attname for column in own)
    related = tuple(get_related_populators(compiler.klass_info, compiler.select, connection.alias))  # type: ignore[call-arg]
    return PreparedModels(prepared, rows.model, attributes, related, tuple(compiler.annotation_col_map.items()))
