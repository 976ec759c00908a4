"""TODO from ranking/matches/invariants.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BooleanField,
    Func,
    Model,
    QuerySet,
)

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and what to do about it."""

    code: str
    sentence: str
    cure: str


class Differs(Func):
    """a IS DISTINCT FROM b: true where the two differ, NULL being a value like any other."""

    arity = 2
    output_field = BooleanField()
    template = "(%(expressions)s)"
    arg_joiner = " IS DISTINCT FROM "

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, arg_joiner=" IS NOT ", **context)


def finding_of(code: str, what: str, rows: QuerySet[Any], cure: str) -> Iterator[Finding]:
    """One finding for a query's rows, with the first few named."""
    examples = list(rows.order_by("pk")[: _EXAMPLES + 1])
    if not examples:
        return
    named = ", ".join(str(row.pk) for row in examples[:_EXAMPLES])
    more = " …" if len(examples) > _EXAMPLES else ""
    yield Finding(code, f"{what}: {_name(rows.model)} {named}{more}.", cure)


def _name(model: type[Model]) -> str:
    return str(model._meta.verbose_name)
