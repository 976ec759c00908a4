"""Reads and writes very many rows as NumPy columns.

On PostgreSQL binary COPY carries them, so that no value becomes a Python object. They are read as one row of arrays,
whose values all have the same width, and written as rows that have the same layout. On SQLite they are plain rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.exceptions import EmptyResultSet
from django.db import connection, models

from ranking.database.microseconds import microseconds_of

Column = npt.NDArray[Any]

INTEGER, FLOAT, BOOLEAN, TIMESTAMP = "integer", "float", "boolean", "timestamp"
NO_TIMESTAMP = int(np.iinfo(np.int64).min)  # stands for NULL
SECOND = 1_000_000  # timestamps are microseconds since 1970

_SINCE_2000 = 946_684_800 * SECOND  # what PostgreSQL counts from

# By kind: the type of the array, of the value on the wire, and the SQL. NULL becomes −1, NaN, false or NO_TIMESTAMP.
_ARRAYS = {INTEGER: np.int64, FLOAT: np.float64, BOOLEAN: np.bool_, TIMESTAMP: np.int64}
_WIRE = {INTEGER: ">i8", FLOAT: ">f8", BOOLEAN: "?", TIMESTAMP: ">i8"}
_SQL = {
    INTEGER: "COALESCE({}::bigint, -1)",
    FLOAT: "COALESCE({}::float8, 'NaN'::float8)",
    BOOLEAN: "COALESCE({}, false)",
    TIMESTAMP: "COALESCE({}, '-infinity'::timestamptz)",
}
_HEADER, _ARRAY_HEAD = 19, 20  # bytes before COPY's rows, and before an array's values
_WIDTHS = {"bigint": ">i8", "integer": ">i4", "smallint": ">i2", "double precision": ">f8"}


def read_columns(rows: models.QuerySet[Any, Any], **kinds: str) -> dict[str, Column]:
    """Fields or annotations of these rows, by name, each of the given kind; the rows come in no order."""
    named = rows.order_by().values_list(*kinds)
    if connection.vendor != "postgresql":
        return _read_rows(list(named), kinds)
    try:
        inner, params = named.query.sql_with_params()
    except EmptyResultSet:  # of no ids
        return _read_rows([], kinds)
    names = [f"c{number}" for number in range(len(kinds))]
    values = (_SQL[kind].format(name) for name, kind in zip(names, kinds.values(), strict=True))
    arrays = ", ".join(f"array_agg({value})" for value in values)
    statement = f"COPY (SELECT {arrays} FROM ({inner}) AS selected({', '.join(names)})) TO STDOUT (FORMAT BINARY)"  # noqa: S608 - the ORM's
    with connection.cursor() as cursor, cursor.copy(statement, params) as copy:
        data = b"".join(copy)
    return dict(zip(kinds, _arrays(data, kinds.values()), strict=True))


def _arrays(data: bytes, kinds: Iterable[str]) -> Iterator[Column]:
    """Yield the columns of COPY's only row, each an array: its length in bytes, a head, each item's width and value."""
    at = _HEADER + 2
    for kind in kinds:
        length = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        if length < 0:  # NULL: no rows
            yield np.zeros(0, _ARRAYS[kind])
            continue
        values = np.dtype([("width", ">i4"), ("value", _WIRE[kind])])
        count = (length - _ARRAY_HEAD) // values.itemsize
        table = np.frombuffer(data, values, count, at + _ARRAY_HEAD)
        yield _as_read(table["value"].astype(_ARRAYS[kind]), kind)
        at += length


def _as_read(column: Column, kind: str) -> Column:
    return np.where(column == NO_TIMESTAMP, NO_TIMESTAMP, column + _SINCE_2000) if kind == TIMESTAMP else column


def _read_rows(rows: list[Any], kinds: Mapping[str, str]) -> dict[str, Column]:
    missing = {INTEGER: -1, FLOAT: np.nan, BOOLEAN: False, TIMESTAMP: NO_TIMESTAMP}
    columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    return {
        name: np.array([missing[kind] if value is None else _plain(value) for value in column], _ARRAYS[kind])
        for (name, kind), column in zip(kinds.items(), columns, strict=True)
    }


def _plain(value: Any) -> Any:
    return microseconds_of(value) if isinstance(value, dt.datetime) else value


def write_columns(model: type[models.Model], columns: Mapping[str, Any]) -> None:
    """Insert rows that are given as columns by attribute: arrays of numbers or texts, or one value for all rows.

    NaN becomes NULL.
    """
    fields = {field.attname: field for field in model._meta.concrete_fields}
    length = max(len(column) for column in columns.values() if isinstance(column, np.ndarray))
    whole = {name: np.broadcast_to(np.asarray(column), length) for name, column in columns.items()}
    if not length:
        return
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    into = f"{table} ({', '.join(quote(str(fields[name].column)) for name in whole)})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {into} FROM STDIN (FORMAT BINARY)") as copy:
                for chunk in _wire(whole, fields):
                    copy.write(chunk)
            return
        marks = ", ".join(["%s"] * len(whole))
        rows = zip(*(_values(column) for column in whole.values()), strict=True)
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", list(rows))  # noqa: S608 - the models' own names


def _values(column: Column) -> list[Any]:
    values = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values


def _wire(columns: Mapping[str, Column], fields: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield rows in COPY's binary format. Rows with the same NULLs and text lengths have the same byte layout, so each
    such group is written as one NumPy array.
    """
    yield b"PGCOPY\n\xff\r\n\x00" + bytes(8)
    shape = np.zeros(len(next(iter(columns.values()))), np.int64)
    for column in columns.values():
        if column.dtype.kind == "U":
            shape = shape * 256 + np.char.str_len(column)
        elif column.dtype.kind == "f":
            shape = shape * 2 + np.isnan(column)
    kinds, numbers = np.unique(shape, return_inverse=True)
    for number in range(len(kinds)):
        rows = np.flatnonzero(numbers == number)
        yield _group(rows, columns, fields).tobytes()
    yield b"\xff\xff"


def _group(rows: Column, columns: Mapping[str, Column], fields: Mapping[str, Any]) -> Column:
    """Rows of one layout as an array of their bytes; all texts are plain ASCII."""
    layout, parts = [("fields", ">i2")], {}
    for name, column in columns.items():
        values = column[rows]
        layout.append((f"{name} width", ">i4"))
        if column.dtype.kind == "f" and np.isnan(values[0]):
            parts[f"{name} width"] = np.array(-1)
            continue
        wire = f"S{len(values[0])}" if column.dtype.kind == "U" else _WIDTHS[_type_of(fields[name])]
        if column.dtype.kind == "U" and not len(values[0]):
            parts[f"{name} width"] = np.array(0)
            continue
        layout.append((name, wire))
        parts[f"{name} width"], parts[name] = np.array(np.dtype(wire).itemsize), values
    table = np.zeros(len(rows), np.dtype(layout))
    table["fields"] = len(columns)
    for name, part in parts.items():
        table[name] = part
    return table


def _type_of(field: Any) -> str:
    return str(field.rel_db_type(connection) if field.is_relation else field.cast_db_type(connection))
