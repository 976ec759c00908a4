"""Finds databases that are too old for this version's migrations, or to which they have to be applied.

The first migration of each app replaces those of the version before. If only some of these were applied, or older ones,
Django would leave the first migration out, or make tables that are there already.
"""

from importlib import import_module

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

FIRST = {
    "ranking": "0001_squashed_0023_keys_and_kept_answers",
    "leaderboards": "0001_squashed_0007_avatars",
    "matchmaking": "0001_squashed_0004_lobby_list_index",
}
TOO_OLD = (
    "This database is older than Rungs 0.2.0 at commit 316a237c: install that version and run its manage.py migrate, "
    "before this one's."
)
BEHIND = "This database is older than the program: run manage.py migrate first."
NO_TABLES = (
    "The database {name} lacks tables of this program. Run manage.py migrate first; or if the site's database is"
    " another one, name it by RUNGS_DATA_DIR or RUNGS_DATABASE_URL."
)
_MISSING = {"42P01", "42703"}  # PostgreSQL's codes of a table and of a column that isn't there


def wants_migrate(error: DatabaseError, connection: BaseDatabaseWrapper) -> bool:
    """True if a statement failed because migrations haven't been applied yet."""
    return lacks_tables(error) and is_behind(connection)


def lacks_tables(error: DatabaseError) -> bool:
    """True if the database has refused a statement because a table or a column isn't there."""
    cause = error.__cause__
    return getattr(cause, "sqlstate", None) in _MISSING or str(cause).startswith(("no such table", "no such column"))


def is_behind(connection: BaseDatabaseWrapper) -> bool:
    """True if some migrations haven't been applied yet."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_too_old(connection: BaseDatabaseWrapper) -> bool:
    """True if migrations of an app were applied, but not all that its first one replaces."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    for app, first in FIRST.items():
        replaced = set(import_module(f"{app}.migrations.{first}").Migration.replaces)
        if any(of == app for of, _ in applied) and not replaced <= applied:
            return True
    return False
