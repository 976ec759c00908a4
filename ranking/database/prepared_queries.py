"""Prepared queries: the ORM writes their SQL once, with placeholders; each run only gives values.

Recording a result and reading a board happen so often that compiling their SQL anew each time would take longer than
running it. The module rests on private parts of Django; tests/ranking/database/test_django_internals.py names each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Expression, F, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

Convert = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Sql = tuple[str, list[Any]]
M = TypeVar("M", bound=Model)


class Placeholder(Expression):
    """A named placeholder: its value is given each time the prepared query runs."""

    def __init__(self, name: str, kind: Field[Any, Any]) -> None:
        super().__init__(kind)
        self.name, self.kind = name, kind

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:  # type: ignore[override]
        return "%s", [self]

    def value_from(self, values: dict[str, Any]) -> Any:
        """The placeholder's own value among these, as the database wants it."""
        return self.kind.get_db_prep_value(values[self.name], connection)


class InPlaceholder(Expression):
    """A condition: the field is one of the values that are given, as a collection, each time the query runs."""

    def __init__(self, field: str, name: str, kind: Field[Any, Any]) -> None:
        super().__init__(BooleanField())
        self.column: Any = F(field)  # resolved with the query
        self.values: Any = _ArrayPlaceholder(name, kind)

    def get_source_expressions(self) -> list[Any]:
        return [self.column, self.values]

    def set_source_expressions(self, exprs: Sequence[Any]) -> None:
        self.column, self.values = exprs

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:  # type: ignore[override]
        column, column_params = compiler.compile(self.column)
        values, values_params = compiler.compile(self.values)
        params = [*column_params, *values_params]
        if connection.vendor == "postgresql":
            return f"{column} = ANY({values}::{self.values.kind.db_type(connection)}[])", params
        return f"{column} IN (SELECT value FROM json_each({values}))", params  # noqa: S608 - compiled


class _ArrayPlaceholder(Placeholder):
    def value_from(self, values: dict[str, Any]) -> Any:
        members: Collection[Any] = values[self.name]
        return list(members) if connection.vendor == "postgresql" else json.dumps(list(members))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared query that gives rows of values. Converters: column, functions that convert it, its expression."""

    sql: str
    params: tuple[Any, ...]
    converters: tuple[tuple[int, tuple[Convert, ...], Any], ...]

    def rows(self, **values: Any) -> Sequence[Sequence[Any]]:
        """Run the query with these values of its placeholders; returns the rows."""
        params = [param.value_from(values) if isinstance(param, Placeholder) else param for param in self.params]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            rows: list[Sequence[Any]] = cursor.fetchall()
        return [self._converted(row) for row in rows] if self.converters else rows

    def _converted(self, row: Sequence[Any]) -> Sequence[Any]:
        columns = list(row)
        for column, converters, expression in self.converters:
            for convert in converters:
                columns[column] = convert(columns[column], expression, connection)
        return columns


def prepare(rows: QuerySet[Any, Any]) -> Prepared:
    """Prepare a query of `values_list`; it may hold a Placeholder for a value, an InPlaceholder for a condition."""
    return _prepared(rows.query.get_compiler(connection=connection))


def prepare_update(rows: QuerySet[M, M], values: Mapping[str, Any], returned: Sequence[str]) -> Prepared:
    """Prepare an UPDATE of rows with these values, as `QuerySet.update` takes them; it gives these fields of each row
    as they are afterwards, and as the database has them.
    """
    query = rows.query.chain(UpdateQuery)
    query.add_update_values(values)  # type: ignore[attr-defined]
    sql, params = query.get_compiler(connection=connection).as_sql()
    columns = (connection.ops.quote_name(str(rows.model._meta.get_field(name).column)) for name in returned)  # type: ignore[union-attr]
    return Prepared(f"{sql} RETURNING {', '.join(columns)}", tuple(params), ())


def _prepared(compiler: SQLCompiler) -> Prepared:
    sql, params = compiler.as_sql()
    converters = compiler.get_converters([expression for expression, _, _ in compiler.select])
    needed = ((column, how, what) for column, (how, what) in converters.items() if not _is_integer(what))
    return Prepared(sql, tuple(params), tuple((column, tuple(how), what) for column, how, what in needed))


def _is_integer(expression: Any) -> bool:
    """True for an integer column. Both databases return integers; Django would convert them once more."""
    return bool(expression.output_field.get_internal_type().endswith("IntegerField"))


@dataclass(frozen=True, slots=True)
class PreparedModels(Generic[M]):
    """A prepared query that gives objects of a model, with related objects (select_related) and annotations."""

    prepared: Prepared
    model: type[M]
    attributes: tuple[str, ...]  # of the model, the first columns
    related: tuple[Any, ...]
    annotations: tuple[tuple[str, int], ...]

    def objects(self, **values: Any) -> list[M]:
        """Run the query with these values of its placeholders; returns the objects."""
        return [self._object(row) for row in self.prepared.rows(**values)]

    def first(self, **values: Any) -> M | None:
        """Run the query with these values of its placeholders; returns the first object, None if there is none."""
        return next(iter(self.objects(**values)), None)

    def _object(self, row: Sequence[Any]) -> M:
        made = self.model.from_db(connection.alias, self.attributes, row[: len(self.attributes)])
        for populator in self.related:
            populator.populate(row, made)
        for name, column in self.annotations:
            setattr(made, name, row[column])
        return made


def fetch_mode_of(rows: Any) -> list[Any]:
    """Return what Django is told since 6.1: how related objects fetch what their query left out. Before, nothing."""
    return [rows._fetch_mode] if hasattr(rows, "_fetch_mode") else []


def prepare_models(rows: QuerySet[M, M]) -> PreparedModels[M]:
    """Prepare a query of objects; it may hold a Placeholder for a value, an InPlaceholder for a condition."""
    compiler = rows.query.get_compiler(connection=connection)
    prepared = _prepared(compiler)
    own = compiler.klass_info["select_fields"]
    attributes = tuple(compiler.select[column][0].target.attname for column in own)
    related = tuple(
        get_related_populators(compiler.klass_info, compiler.select, connection.alias, *fetch_mode_of(rows))
    )
    return PreparedModels(prepared, rows.model, attributes, related, tuple(compiler.annotation_col_map.items()))
