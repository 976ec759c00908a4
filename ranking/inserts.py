"""Many rows in one statement.

On PostgreSQL the rows travel as one JSON document: binding each field of each row is what `bulk_create` spends
its time on. JSON carries integers and floats exactly, and PostgreSQL reads each value as its column's type.
"""

import datetime as dt
import functools
import json
from collections.abc import Sequence
from typing import Any

from django.db import connection, models


def insert_rows(rows: Sequence[models.Model], *, update: Sequence[str] = (), returning: bool = False) -> None:
    """Insert rows of one model; with `returning` they learn their ids.

    With `update`, these fields of rows that exist are updated.
    """
    if not rows:
        return
    model = type(rows[0])
    if connection.vendor != "postgresql":
        conflict = {"update_conflicts": True, "unique_fields": ["id"], "update_fields": update} if update else {}
        model._default_manager.bulk_create(rows, **conflict)  # type: ignore[arg-type]
        return
    statement, names = statement_for(model, tuple(update))
    document = json.dumps([[getattr(row, name) for name in names] for row in rows], default=_text, allow_nan=False)
    with connection.cursor() as cursor:
        if not returning:
            cursor.execute(statement, [document])
            return
        cursor.execute(statement + " RETURNING id", [document])
        for row, (number,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk = number
            row._state.adding, row._state.db = False, connection.alias


def _text(value: object) -> str:
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    raise TypeError(f"{value!r} can't be sent as JSON.")


@functools.cache
def statement_for(model: type[models.Model], update: tuple[str, ...]) -> tuple[str, list[str]]:
    """The INSERT of a model's rows from a JSON array of arrays, and the attributes that these hold, in order."""
    fields: list[Any] = [
        field
        for field in model._meta.concrete_fields
        if not field.generated and (update or not isinstance(field, models.AutoField))
    ]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    values = ", ".join(_value(number, field) for number, field in enumerate(fields))
    statement = (
        f"INSERT INTO {quote(model._meta.db_table)} ({columns}) SELECT {values}"  # noqa: S608 - names of models' own
        " FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS row(part, number) ORDER BY number"
    )
    if update:
        changed = [quote(field.column) for field in fields if field.name in update]
        statement += " ON CONFLICT (id) DO UPDATE SET " + ", ".join(f"{name} = EXCLUDED.{name}" for name in changed)
    return statement, [field.attname for field in fields]


def _value(number: int, field: Any) -> str:
    if isinstance(field, models.JSONField):
        return f"part -> {number}"
    kind = field.rel_db_type(connection) if field.is_relation else field.cast_db_type(connection)
    return f"(part ->> {number})::{kind}"


def copy_rows(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert very many rows, given as the values of these attributes, as fast as the database takes them."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(_column(model, name)) for name in names)
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(names))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608 - names of models' own


def _column(model: type[models.Model], attribute: str) -> str:
    return next(str(field.column) for field in model._meta.concrete_fields if field.attname == attribute)
