"""Counts the transactions that changed what pages show, so that a kept page is never older than what it shows.

Triggers count, whoever writes: a result, a moderator, a job, a script. There are two counts: of results, which come all
the time, and of everything else, such as names, bans, hidden players and publications. A transaction adds to a count as
it commits, so a page that was made from what was there before is kept under the count of before.

SQLite has one writer at a time, so each count is one row. On PostgreSQL transactions would wait for each other there:
each inserts a row instead, once for all that it writes, and a count is their sum. `fold` makes one row of many.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

SITE, RESULTS = "site", "results"  # what is counted
TABLE = "ranking_shown_change"

INSERT, UPDATE, DELETE = "INSERT", "UPDATE", "DELETE"
WRITES = (INSERT, UPDATE, DELETE)
_IDS = {SITE: 1, RESULTS: 2}  # of SQLite's rows

_CREATE = {
    "sqlite": f"CREATE TABLE {TABLE} (id integer PRIMARY KEY, topic text NOT NULL, number integer NOT NULL)",
    "postgresql": f"CREATE TABLE {TABLE} (topic text NOT NULL, number integer NOT NULL)",
}
# A setting that ends with the transaction, or with the savepoint that is rolled back, tells that it is counted already.
_FUNCTION = f"""
CREATE FUNCTION ranking_count_shown_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('rungs.shown_' || TG_ARGV[0], true) IS DISTINCT FROM 'counted' THEN
        INSERT INTO {TABLE} (topic, number) VALUES (TG_ARGV[0], 1);
        PERFORM set_config('rungs.shown_' || TG_ARGV[0], 'counted', true);
    END IF;
    RETURN NULL;
END $$
"""  # noqa: S608 - names of this module
_SUMS = f"""
SELECT coalesce(sum(CASE topic WHEN '{SITE}' THEN number END), 0),
       coalesce(sum(CASE topic WHEN '{RESULTS}' THEN number END), 0) FROM {TABLE}
"""  # noqa: S608 - names of this module
_FOLD = f"""
WITH folded AS (DELETE FROM {TABLE} RETURNING topic, number)
INSERT INTO {TABLE} (topic, number) SELECT topic, sum(number) FROM folded GROUP BY topic
"""  # noqa: S608 - a name of this module

Shown = Mapping[str, Mapping[str, str]]  # by table and kind of write, what is counted


class Versions(NamedTuple):
    """How many transactions changed what pages show."""

    site: int
    results: int


def everything(topic: str, *tables: str) -> dict[str, dict[str, str]]:
    """Have all writes to these tables counted."""
    return {table: dict.fromkeys(WRITES, topic) for table in tables}


def create_table(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_CREATE[connection.vendor])
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION)


def drop_table(connection: BaseDatabaseWrapper) -> None:
    """Drop the table, and the triggers that write into it."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("DROP FUNCTION ranking_count_shown_change CASCADE")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'shown_change_%%'")
            for (name,) in cursor.fetchall():
                cursor.execute(f'DROP TRIGGER "{name}"')
        cursor.execute(f"DROP TABLE {TABLE}")


def create_triggers(connection: BaseDatabaseWrapper, shown: Shown) -> None:
    """Create those that are missing, where the tables are: SQLite drops them when a migration makes a table anew."""
    there = set(connection.introspection.table_names())
    if TABLE not in there:
        return
    existing = _triggers(connection)
    with connection.cursor() as cursor:
        for table, topics in shown.items():
            for write, topic in topics.items():
                if table in there and _name(table, write) not in existing:
                    cursor.execute(_trigger(connection.vendor, table, write, topic))


def load_versions() -> Versions:
    """Read both counts. Whatever is read afterwards is at least as new.

    Each request for a kept page reads them, so PostgreSQL's driver is asked directly, with one cursor for all requests.
    The answer also tells that the connection still works, which Django otherwise asks at a request's first statement.
    """
    connection: Any = connections[DEFAULT_DB_ALIAS]  # Django's proxy would look it up at each attribute
    driver = connection.connection
    if connection.vendor == "postgresql" and driver is not None and not connection.in_atomic_block:
        cursor = getattr(connection, "shown_changes_cursor", None)
        try:
            if cursor is None or cursor.connection is not driver:
                cursor = connection.shown_changes_cursor = driver.cursor()
            site, results = cursor.execute(_SUMS).fetchone()
        except connection.Database.Error:  # Django's way connects again, or tells what is wrong
            connection.close()
        else:
            connection.health_check_done = True
            return Versions(site, results)
    with connection.cursor() as cursor:
        cursor.execute(_SUMS)
        return Versions(*cursor.fetchone())


def fold() -> None:
    """Make one row of many, so that reading the counts stays cheap. The counts stay as they are."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_FOLD)


def _name(table: str, write: str) -> str:
    return f"shown_change_{table}_{write.lower()}"


def _triggers(connection: BaseDatabaseWrapper) -> set[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
                " WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal"
            )
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        return {name for (name,) in cursor.fetchall()}


def _trigger(vendor: str, table: str, write: str, topic: str) -> str:
    begin = f"CREATE TRIGGER {_name(table, write)} AFTER {write} ON {table}"
    if vendor == "postgresql":
        return f"{begin} FOR EACH STATEMENT EXECUTE FUNCTION ranking_count_shown_change('{topic}')"
    return (
        f"{begin} BEGIN INSERT INTO {TABLE} (id, topic, number) VALUES ({_IDS[topic]}, '{topic}', 1)"  # noqa: S608
        " ON CONFLICT (id) DO UPDATE SET number = number + 1; END"
    )
