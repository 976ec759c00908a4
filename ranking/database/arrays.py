"""Reads and writes very many rows as NumPy columns.

On PostgreSQL binary COPY carries them, so that no value becomes a Python object. They are read as one row of arrays,
whose values all have the same width, and written as rows that have the same layout. On SQLite they are plain rows.
psycopg's own `copy` raises psycopg's errors; `wrap_database_errors` makes them Django's.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
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
_WIDTHS = {"bigint": ">i8", "integer": ">i4", "smallint": ">i2", "double precision": ">f8", "boolean": "?"}
_MOMENT, _JSON = "timestamp with time zone", "jsonb"
_JSON_VERSION = b"\x01"  # comes before the text


def read_columns(rows: models.QuerySet[Any, Any], /, **kinds: str) -> dict[str, Column]:
    """Fields or annotations of these rows, by name, each of the given kind; the rows come in no order."""
    named = rows.order_by().values_list(*kinds)
    if connection.vendor != "postgresql":
        return _read_rows(list(named), kinds)
    try:
        inner, params = named.query.sql_with_params()
    except EmptyResultSet:  # of no ids
        return _read_rows([], kinds)
    arrays, names = _arrays_in_sql(kinds)
    data = _copied(f"COPY (SELECT {arrays} FROM ({inner}) AS selected({names})) TO STDOUT (FORMAT BINARY)", params)  # noqa: S608 - the ORM's
    columns, _ = _arrays(data, _HEADER + 2, kinds)
    return columns


def read_columns_by(rows: models.QuerySet[Any, Any], text: str, /, **kinds: str) -> dict[str, dict[str, Column]]:
    """The columns of `read_columns` of the rows that have the same value in the field `text`, by this value."""
    named = rows.order_by().values_list(text, *kinds)
    if connection.vendor != "postgresql":
        groups: dict[str, list[Any]] = {}
        for value, *row in named:
            groups.setdefault(value, []).append(row)
        return {value: _read_rows(group, kinds) for value, group in groups.items()}
    try:
        inner, params = named.query.sql_with_params()
    except EmptyResultSet:  # of no ids
        return {}
    arrays, names = _arrays_in_sql(kinds)
    data = _copied(
        f"COPY (SELECT value, {arrays} FROM ({inner}) AS selected(value, {names}) GROUP BY value)"  # noqa: S608 - the ORM's
        " TO STDOUT (FORMAT BINARY)",
        params,
    )
    found, at = {}, _HEADER
    while int.from_bytes(data[at : at + 2], "big", signed=True) > 0:  # the number of fields; -1 at the end
        length = int.from_bytes(data[at + 2 : at + 6], "big")
        value = data[at + 6 : at + 6 + length].decode()
        found[value], at = _arrays(data, at + 6 + length, kinds)
    return found


def _arrays_in_sql(kinds: Mapping[str, str]) -> tuple[str, str]:
    """The arrays that COPY writes, and the names of the columns that they are made of."""
    names = [f"c{number}" for number in range(len(kinds))]
    values = (_SQL[kind].format(name) for name, kind in zip(names, kinds.values(), strict=True))
    return ", ".join(f"array_agg({value})" for value in values), ", ".join(names)


def _copied(statement: str, params: Sequence[Any]) -> bytes:
    operations: Any = connection.ops
    composed = operations.compose_sql(statement, params)  # a cursor that notes its statements takes no parameters
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(composed) as copy:
        return b"".join(copy)


def _arrays(data: bytes, at: int, kinds: Mapping[str, str]) -> tuple[dict[str, Column], int]:
    """The columns of COPY's row that begins at this byte, and where it ends.

    Each column is an array: its length in bytes, a head, each item's width and value.
    """
    columns: dict[str, Column] = {}
    for name, kind in kinds.items():
        length = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        if length < 0:  # NULL: no rows
            columns[name] = np.zeros(0, _ARRAYS[kind])
            continue
        values = np.dtype([("width", ">i4"), ("value", _WIRE[kind])])
        count = (length - _ARRAY_HEAD) // values.itemsize
        table = np.frombuffer(data, values, count, at + _ARRAY_HEAD)
        columns[name] = _as_read(table["value"].astype(_ARRAYS[kind]), kind)
        at += length
    return columns, at


def _as_read(column: Column, kind: str) -> Column:
    return np.where(column == NO_TIMESTAMP, NO_TIMESTAMP, column + _SINCE_2000) if kind == TIMESTAMP else column


def _read_rows(rows: list[object], kinds: Mapping[str, str]) -> dict[str, Column]:
    missing = {INTEGER: -1, FLOAT: np.nan, BOOLEAN: False, TIMESTAMP: NO_TIMESTAMP}
    columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    return {
        name: np.array([missing[kind] if value is None else _plain(value) for value in column], _ARRAYS[kind])
        for (name, kind), column in zip(kinds.items(), columns, strict=True)
    }


def _plain(value: Any) -> Any:
    return microseconds_of(value) if isinstance(value, dt.datetime) else value


def write_columns(model: type[models.Model], columns: Mapping[str, object]) -> None:
    """Insert rows that are given as columns by attribute: arrays of numbers, truths or plain ASCII texts, all of one
    length, or one value of the field's own type for all rows.

    NaN becomes NULL.
    """
    fields = {field.attname: field for field in model._meta.concrete_fields}
    arrays = {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}
    alike = {name: value for name, value in columns.items() if name not in arrays and not _is_null(value)}
    length = len(next(iter(arrays.values())))
    if not length:
        return
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(fields[name].column)) for name in [*alike, *arrays])
    into = f"{quote(model._meta.db_table)} ({names})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            constants = {name: _wire_value(value, fields[name]) for name, value in alike.items()}
            statement = f"COPY {into} FROM STDIN (FORMAT BINARY)"
            with connection.wrap_database_errors, cursor.copy(statement) as copy:
                for chunk in _wire(constants, arrays, fields):
                    copy.write(chunk)
            return
        marks = ", ".join(["%s"] * (len(alike) + len(arrays)))
        prepared = [fields[name].get_db_prep_save(value, connection) for name, value in alike.items()]
        rows = zip(*map(repeat, prepared), *(_values(column) for column in arrays.values()), strict=False)
        cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", list(rows))  # noqa: S608 - the models' own names


def _is_null(value: object) -> bool:
    return value is None or value != value


def _values(column: Column) -> list[object]:
    values = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values


def _wire_value(value: Any, field: Any) -> bytes:
    """A value as COPY's binary format has it."""
    kind = _type_of(field)
    if kind == _MOMENT:
        return np.array(microseconds_of(value) - _SINCE_2000, _WIRE[TIMESTAMP]).tobytes()
    if kind == _JSON:
        return _JSON_VERSION + json.dumps(value).encode()
    return np.array(value, _WIDTHS[kind]).tobytes() if kind in _WIDTHS else str(value).encode()


def _wire(
    constants: Mapping[str, bytes], columns: Mapping[str, Column], fields: Mapping[str, object]
) -> Iterator[bytes]:
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
        yield _group(rows, constants, columns, fields).tobytes()
    yield b"\xff\xff"


def _group(
    rows: Column, constants: Mapping[str, bytes], columns: Mapping[str, Column], fields: Mapping[str, object]
) -> Column:
    """Rows of one layout as an array of their bytes: each value comes after its width, −1 stands for NULL."""
    layout: list[tuple[str, str]] = [("fields", ">i2")]
    parts: dict[str, object] = {"fields": len(constants) + len(columns)}

    def add(name: str, wire: str, values: Any, width: int) -> None:
        layout.append((f"{name} width", ">i4"))
        parts[f"{name} width"] = width
        if width > 0:
            layout.append((name, wire))
            parts[name] = values

    for name, value in constants.items():
        add(name, f"V{len(value)}", np.void(value), len(value))
    for name, column in columns.items():
        values = column[rows]
        if column.dtype.kind == "f" and np.isnan(values[0]):
            add(name, "", None, -1)
            continue
        wire = f"S{len(values[0])}" if column.dtype.kind == "U" else _WIDTHS[_type_of(fields[name])]
        add(name, wire, values, len(values[0]) if column.dtype.kind == "U" else np.dtype(wire).itemsize)
    table = np.zeros(len(rows), np.dtype(layout))
    for name, part in parts.items():
        table[name] = part
    return table


def _type_of(field: Any) -> str:
    return str(field.rel_db_type(connection) if field.is_relation else field.cast_db_type(connection))
