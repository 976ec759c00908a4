"""The index that finds players by any part of their names: trigrams, by each database's own means.

PostgreSQL: a GIN index by its extension pg_trgm. SQLite: a full-text table without a copy of the names, which triggers
keep; Django's migrations of SQLite make a table anew, which drops its triggers, so they are made again after each.
"""

from __future__ import annotations

from typing import Any

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

PLAYERS, NAMES = "ranking_player", "ranking_player_names"

_GIN = "CREATE INDEX player_by_part_of_name ON ranking_player USING gin (search_name gin_trgm_ops)"
_TABLE = (
    "CREATE VIRTUAL TABLE ranking_player_names USING fts5("
    "search_name, content='ranking_player', content_rowid='id', tokenize='trigram', detail='none')"
)
_FILL = "INSERT INTO ranking_player_names (ranking_player_names) VALUES ('rebuild')"
_TRIGGERS = (
    """
    CREATE TRIGGER IF NOT EXISTS player_named AFTER INSERT ON ranking_player BEGIN
        INSERT INTO ranking_player_names (rowid, search_name) VALUES (new.id, new.search_name);
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS player_gone AFTER DELETE ON ranking_player BEGIN
        INSERT INTO ranking_player_names (ranking_player_names, rowid, search_name)
        VALUES ('delete', old.id, old.search_name);
    END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS player_renamed AFTER UPDATE OF search_name ON ranking_player
    WHEN old.search_name <> new.search_name BEGIN
        INSERT INTO ranking_player_names (ranking_player_names, rowid, search_name)
        VALUES ('delete', old.id, old.search_name);
        INSERT INTO ranking_player_names (rowid, search_name) VALUES (new.id, new.search_name);
    END
    """,
)
_NAMES_OF_TRIGGERS = ("player_named", "player_gone", "player_renamed")


class MissingRight(DatabaseError):
    """The database's role may not create the extension; the message says what to do."""


def create_name_index(connection: BaseDatabaseWrapper) -> None:
    """Create the index for the players there are. Raises MissingRight."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_TABLE)
            cursor.execute(_FILL)
            return
        _create_extension(cursor)
        cursor.execute(_GIN)


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Create those of SQLite's triggers that are missing, where their tables are."""
    if connection.vendor == "sqlite" and {PLAYERS, NAMES} <= set(connection.introspection.table_names()):
        with connection.cursor() as cursor:
            for trigger in _TRIGGERS:
                cursor.execute(trigger)


def drop_name_index(connection: BaseDatabaseWrapper) -> None:
    """Drop the index; PostgreSQL's extension stays."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name in _NAMES_OF_TRIGGERS:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            cursor.execute("DROP TABLE ranking_player_names")
        else:
            cursor.execute("DROP INDEX player_by_part_of_name")


def _create_extension(cursor: Any) -> None:
    cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")
    if cursor.fetchone():
        return
    cursor.execute(
        "SELECT current_user, current_database(), has_database_privilege(current_database(), 'CREATE'),"
        " EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')"
    )
    role, database, may_create, available = cursor.fetchone()
    if not available:
        raise MissingRight(
            "Searching for parts of names needs PostgreSQL's extension pg_trgm. Install the server's package of"
            " additional modules (Debian: postgresql-contrib), and migrate again."
        )
    if not may_create:
        raise MissingRight(
            f"The role {role} needs the right CREATE on the database {database}, for the extension pg_trgm. Let an"
            f' administrator run GRANT CREATE ON DATABASE "{database}" TO "{role}", or CREATE EXTENSION pg_trgm in that'
            " database, and migrate again."
        )
    cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
