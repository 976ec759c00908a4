"""Records how rows change hands while two players are merged, as JSON, so that a split can give the rows back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db.models import ForeignKey, Model, QuerySet

from ranking.models import Player

# By model's label: the rows that were deleted, with their values; and by [column, before, after], the ids of others.
Record = dict[str, dict[str, Any]]

_SOME = 1_000  # ids a statement


@contextmanager
def recorded(*querysets: QuerySet[Any]) -> Iterator[Record]:
    """Record what happens to the rows of these querysets inside the block; the record is complete at its end."""
    record: Record = {}
    before = [(rows.model, read_rows(rows)) for rows in querysets]
    yield record
    for model, rows in before:
        after = {row["id"]: row for row in _read_some(model, list(rows))}
        moved: dict[tuple[Any, ...], list[int]] = {}
        for pk, row in rows.items():
            for column, value in after.get(pk, row).items():
                if row[column] != value:
                    moved.setdefault((column, row[column], value), []).append(pk)
        record[model._meta.label] = {
            "deleted": [row for pk, row in rows.items() if pk not in after],
            "moved": [[*change, pks] for change, pks in moved.items()],
        }


def read_rows(rows: QuerySet[Any]) -> dict[int, dict[str, object]]:
    """Return the values of rows by their id, as JSON has them."""
    return {
        row["id"]: {name: value.isoformat() if isinstance(value, dt.datetime) else value for name, value in row.items()}
        for row in rows.order_by("pk").values()
    }


def give_back(record: Record) -> None:
    """Undo the changes that were recorded. A row that changed or was deleted since then stays as it is.

    A deleted row isn't inserted if another has its place, or if one of its players was anonymised meanwhile.
    """
    for label, changes in record.items():
        model = apps.get_model(label)
        for column, before, after, pks in changes["moved"]:
            for start in range(0, len(pks), _SOME):
                some = pks[start : start + _SOME]
                model._default_manager.filter(pk__in=some, **{column: after}).update(**{column: before})
        insert_again(model, changes["deleted"])


def insert_again(model: type[Model], rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows that were read by `read_rows` and deleted, with their old ids."""
    again = [model(**{field.attname: field.to_python(row[field.attname]) for field in _fields(model)}) for row in rows]
    for field in _fields(model):
        if isinstance(field, ForeignKey):
            again = _with_targets(again, field)
    model._default_manager.bulk_create(again, ignore_conflicts=True, batch_size=_SOME)


def _fields(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not field.generated]


def _with_targets(rows: list[Any], field: ForeignKey[Any, Any]) -> list[Any]:
    """Return the rows whose target exists. If the target of others is gone, they get none, or are left out."""
    target: Any = field.related_model
    found = target._default_manager.filter(pk__in={getattr(row, field.attname) for row in rows})
    if target is Player:
        found = found.filter(anonymised_at=None)
    present = {None, *found.values_list("pk", flat=True)}
    for row in rows:
        if field.null and getattr(row, field.attname) not in present:
            setattr(row, field.attname, None)
    return [row for row in rows if getattr(row, field.attname) in present]


def _read_some(model: type[Model], pks: Sequence[int]) -> Iterator[dict[str, object]]:
    for start in range(0, len(pks), _SOME):
        yield from read_rows(model._default_manager.filter(pk__in=pks[start : start + _SOME])).values()
