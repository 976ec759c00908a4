"""Finds databases that are too old for this version's migrations.

The initial migration of each app replaces those before it. Where only some of them were applied, Django would leave
the app's migrations out, and some tables would never come.
"""

from importlib import import_module

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

APPS = ("ranking", "leaderboards", "matchmaking")
TOO_OLD = (
    "This database is older than Rungs 0.1.0 at commit 5a6d945: install that version and run its manage.py migrate, "
    "before this one's."
)


def is_too_old(connection: BaseDatabaseWrapper) -> bool:
    """True if some, but not all, of the migrations that an initial migration replaces were applied."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    for app in APPS:
        replaced = set(import_module(f"{app}.migrations.0001_initial").Migration.replaces)
        if replaced & applied and not replaced <= applied:
            return True
    return False
