"""Moves a whole site to a database of the other kind: from SQLite to PostgreSQL, or back.

The old database takes no writes from the first moment on (see read_only), so that it stays as it is copied. Each table
is copied in a transaction of its own; a move that was broken off goes on with the tables that are missing. In the end
each table is read in both databases and compared.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError, connections, models, transaction

from config.env import Environment, InvalidEnvironment
from config.storage.databases import is_sqlite, with_options
from config.storage.read_only import SessionsRemain, refuse_writes
from config.storage.upgrades import BEHIND, is_behind

OLD, NEW = "old", "default"  # the aliases of both databases while a site moves
CHUNK = 5_000  # rows of one INSERT or COPY
_STATE = "rungs_move"  # a table of the new database: what is done
_PREPARED = "prepared"
_ATTEMPTS = 5


class MoveFailed(Exception):
    """A move can't begin or go on; the message says why, and what to do."""


def move(url: str, note: Callable[[str], None]) -> None:
    """Copy everything to the database at this address. `note` is told of each table, for people.

    From then on this process works on the new database. Raises MoveFailed; once copying has begun, the old database
    takes no writes, whether the move succeeds or not: run it again, or have the database take writes again.
    """
    settings = _new_settings(url)
    _check_old()
    _use(settings)
    _open_new()
    try:
        _move(note)
    except (MoveFailed, SessionsRemain, DatabaseError) as error:
        raise MoveFailed(
            f"{error}\nThe old database takes no writes now. Run the move again to go on with it, or have this database"
            " take writes again: manage.py move --give-up."
        ) from error


def _move(note: Callable[[str], None]) -> None:
    refuse_writes(connections[OLD])
    if _PREPARED not in _noted(_PREPARED):
        _prepare()
    for _ in range(_ATTEMPTS):
        before = _version()
        with transaction.atomic(using=OLD):
            _take_snapshot()
            _copy_all(note)
            different = _compare_all(note)
        if not different and _version() == before:
            return _end()
    raise MoveFailed("Something still writes into the old database: stop the site first.")


def _new_settings(url: str) -> dict[str, object]:
    """Django's settings of the new database. Those of the old one hold what the site needs of its kind."""
    env = Environment({"--to": url})
    found = env.database("--to", "sqlite:///unread", server=False)
    try:
        env.check()
    except InvalidEnvironment as error:
        raise MoveFailed(str(error)) from error
    if is_sqlite(found) == (connections["default"].vendor == "sqlite"):
        raise MoveFailed(
            "Both databases are of one kind: use manage.py backup, and manage.py restore into the new database."
        )
    return with_options(found)


def _check_old() -> None:
    if is_behind(connections["default"]):
        raise MoveFailed(BEHIND)


def _use(new: Mapping[str, object]) -> None:
    """Make the new database the default one, on which migrations and all of the site work, and the old one OLD."""
    old = copy.deepcopy(connections.databases["default"])
    if "transaction_mode" in old.get("OPTIONS", {}):
        old["OPTIONS"]["transaction_mode"] = "DEFERRED"  # reading locks nobody out
    connections["default"].close()
    del connections["default"]
    connections.databases.update({OLD: old, NEW: {"ATOMIC_REQUESTS": False, **new}})
    connections.configure_settings(connections.databases)


def _open_new() -> None:
    """Begin a move into the new database, or go on with one; raises MoveFailed if it holds anything else."""
    try:
        tables = connections[NEW].introspection.table_names()
    except DatabaseError as error:
        raise MoveFailed(f"The new database can't be reached: {error}") from error
    if tables and _STATE not in tables:
        raise MoveFailed("The new database isn't empty: give the address of an empty one.")
    if not tables:
        with connections[NEW].cursor() as cursor:
            cursor.execute(f"CREATE TABLE {_STATE} (kind text NOT NULL, name text NOT NULL, text text NOT NULL)")


def _prepare() -> None:
    """Make the tables. PostgreSQL's foreign keys, which slow copying down, are taken away until all is copied."""
    call_command("migrate", verbosity=0)
    connection = connections[NEW]
    with transaction.atomic(using=NEW), connection.cursor() as cursor:
        for table, name, text in _foreign_keys() if connection.vendor == "postgresql" else ():
            alter = f"ALTER TABLE {table}"
            cursor.execute(f"{alter} DROP CONSTRAINT {_quote(name)}")
            _note("constraint", name, f"{alter} ADD CONSTRAINT {_quote(name)} {text}")
        _note(_PREPARED, _PREPARED)


def _foreign_keys() -> list[tuple[str, str, str]]:
    """(table as SQL, name, definition) of each. To add one later takes one query over all rows."""
    with connections[NEW].cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"
        )
        return [tuple(row) for row in cursor.fetchall()]


def _take_snapshot() -> None:
    """All that is read of the old database is as of this moment."""
    with connections[OLD].cursor() as cursor:
        if connections[OLD].vendor == "postgresql":
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT count(*) FROM django_migrations")


def moved_models() -> list[type[models.Model]]:
    """The models of all tables, those of relations between many included."""
    return [
        model for model in apps.get_models(include_auto_created=True) if model._meta.managed and not model._meta.proxy
    ]


def _copy_all(note: Callable[[str], None]) -> None:
    done = _noted("table")
    for model in moved_models():
        table = model._meta.db_table
        if table in done:
            continue
        with _unchecked(), transaction.atomic(using=NEW):
            count = _copy(model)
            _set_sequence(model, _sequence(model))
            _note("table", table)
        if count:
            note(f"{table}: {count:,} rows copied")


@contextmanager
def _unchecked() -> Iterator[None]:
    """SQLite doesn't look at foreign keys, which are all checked in the end. PostgreSQL has none at this time."""
    connection = connections[NEW]
    disabled = connection.vendor == "sqlite" and connection.disable_constraint_checking()
    try:
        yield
    finally:
        if disabled:
            connection.enable_constraint_checking()


def _copy(model: type[models.Model]) -> int:
    """Returns how many rows there were. Raises MoveFailed if the new database can't hold one."""
    try:
        return _copy_rows(model)
    except DatabaseError as error:
        raise MoveFailed(f"{model._meta.db_table}: {error}") from error


def _copy_rows(model: type[models.Model]) -> int:
    connection, table = connections[NEW], _quote(model._meta.db_table)
    fields = _fields_of(model)
    columns = ", ".join(_quote(field.column) for field in fields)
    rows, count = _rows(OLD, model), 0
    writers = [_writer(field, connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - the models' own names
        while chunk := list(islice(rows, CHUNK)):
            written = [
                [write(value) if write else value for write, value in zip(writers, row, strict=True)] for row in chunk
            ]
            if connection.vendor == "postgresql":
                with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as target:
                    for row in written:
                        target.write_row(row)
            else:
                marks = ", ".join(["%s"] * len(fields))
                cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", written)  # noqa: S608 - the models' own names
            count += len(chunk)
    return count


def _fields_of(model: type[models.Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not field.generated]


def _rows(alias: str, model: type[models.Model]) -> Iterator[Sequence[Any]]:
    """The values of all rows, as Python's."""
    names = [field.attname for field in _fields_of(model)]
    return iter(model._base_manager.using(alias).order_by("pk").values_list(*names).iterator(chunk_size=CHUNK))


def _writer(field: Any, connection: Any) -> Callable[[Any], Any] | None:
    """How a database takes a value of this field; None: as it is."""
    if isinstance(field, models.JSONField):
        return lambda value: None if value is None else json.dumps(value)
    if connection.vendor == "postgresql":
        return None
    if isinstance(field, models.CharField | models.TextField | models.IntegerField | models.FloatField):
        return None
    return lambda value: field.get_db_prep_save(value, connection)


def _sequence(model: type[models.Model]) -> int:
    """The highest id that the old database has given, also to rows that are gone: no id is given twice. 0: none."""
    connection, table = connections[OLD], model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        else:
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [_quote(table), model._meta.pk.column])
            (name,) = cursor.fetchone()
            if name is None:
                return 0
            cursor.execute(f"SELECT last_value FROM {name} WHERE is_called")  # noqa: S608 - the database's own name
        row = cursor.fetchone()
    return row[0] if row else 0


def _set_sequence(model: type[models.Model], number: int) -> None:
    connection, table = connections[NEW], model._meta.db_table
    if not number or not isinstance(model._meta.pk, models.AutoField | models.BigAutoField):
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, number])
        else:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [_quote(table), model._meta.pk.column, number]
            )


def _compare_all(note: Callable[[str], None]) -> list[str]:
    """Compare all rows of both databases; returns the tables that differ, which the next attempt copies again."""
    rows, different = 0, []
    for model in moved_models():
        table = model._meta.db_table
        old, new = (digest(_rows(alias, model), _fields_of(model)) for alias in (OLD, NEW))
        rows += old[0]
        if old != new:
            note(f"{table} differs: {old[0]:,} and {new[0]:,} rows; it is copied again")
            different.append(table)
            with connections[NEW].cursor() as cursor:
                cursor.execute(f"DELETE FROM {_STATE} WHERE name = %s", [table])  # noqa: S608 - a name of our own
    if not different:
        note(f"Both databases hold the same {rows:,} rows in {len(moved_models())} tables.")
    return different


def _version() -> int:
    """Changes if anybody else writes into the old database. PostgreSQL has ended all who could."""
    if connections[OLD].vendor != "sqlite":
        return 0
    with connections[OLD].cursor() as cursor:
        return int(cursor.execute("PRAGMA data_version").fetchone()[0])


def digest(rows: Iterable[Sequence[Any]], fields: Sequence[Any]) -> tuple[int, str]:
    """How many rows there are, and a digest of all of them in whatever order they come."""
    documents = [isinstance(field, models.JSONField) for field in fields]
    count = total = 0
    for row in rows:
        values = [_plain(value) if document else value for value, document in zip(row, documents, strict=True)]
        text = repr([bytes(value) if isinstance(value, memoryview) else value for value in values])
        total += int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        count += 1
    return count, f"{total % 2**128:032x}"


def _plain(value: Any) -> Any:
    """A JSON value as every database gives it back: keys in one order, and a whole number is a whole number."""
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _noted(kind: str) -> dict[str, str]:
    with connections[NEW].cursor() as cursor:
        cursor.execute(f"SELECT name, text FROM {_STATE} WHERE kind = %s", [kind])  # noqa: S608 - a name of our own
        return dict(cursor.fetchall())


def _note(kind: str, name: str, text: str = "") -> None:
    with connections[NEW].cursor() as cursor:
        cursor.execute(f"INSERT INTO {_STATE} VALUES (%s, %s, %s)", [kind, name, text])  # noqa: S608 - a name of our own


def _end() -> None:
    """Put the foreign keys in force again, now that nothing is copied any more, and forget the move."""
    connection = connections[NEW]
    with connection.cursor() as cursor:
        for name, statement in sorted(_noted("constraint").items()):
            with transaction.atomic(using=NEW):
                cursor.execute(statement)
                cursor.execute(f"DELETE FROM {_STATE} WHERE name = %s", [name])  # noqa: S608 - a name of our own
        connection.check_constraints()
        cursor.execute(f"DROP TABLE {_STATE}")
        cursor.execute("ANALYZE")


def _quote(name: str) -> str:
    return str(connections[NEW].ops.quote_name(name))
