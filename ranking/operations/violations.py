"""Violations, which `manage.py doctor` reports: what is wrong with the data, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must be true and isn't: a stable code, a sentence, and what to do."""

    code: str
    sentence: str
    cure: str


class Differs(Func):
    """a IS DISTINCT FROM b: true if the two differ; NULL counts as a value."""

    arity = 2
    output_field = BooleanField()
    template = "(%(expressions)s)"
    arg_joiner = " IS DISTINCT FROM "

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: str) -> tuple[str, Any]:
        return self.as_sql(compiler, connection, arg_joiner=" IS NOT ", **context)


def violation_of(code: str, fault: str, rows: QuerySet[Any], cure: str) -> Iterator[Violation]:
    """Yield one violation for all rows of a query, if there are any; it names the first few."""
    examples = list(rows.order_by("pk")[: _EXAMPLES + 1])
    if not examples:
        return
    ids = ", ".join(str(row.pk) for row in examples[:_EXAMPLES])
    more = " …" if len(examples) > _EXAMPLES else ""
    yield Violation(code, f"{fault}: {_name(rows.model)} {ids}{more}.", cure)


def _name(model: type[Model]) -> str:
    return str(model._meta.verbose_name)
