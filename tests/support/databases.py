"""The database of the suite: a copy of one that all migrations made, once for the code as it is."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import connection

_MARK = "_migrated_"
_MADE_BY = (
    "requirements.lock", "*/apps.py", "*/migrations/*.py", "*/models/*.py", "ranking/database/*.py",
    "ranking/rules/*.py",
)  # fmt: skip


def database_url() -> str:
    """The suite's database, as other processes address it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    return f"postgres://{given['USER']}:{given['PASSWORD']}@{given['HOST']}:{given['PORT']}/{given['NAME']}"


@contextlib.contextmanager
def suite_database() -> Iterator[None]:
    """Make the database that Django names for this process, let the suite use it, and drop it in the end.

    The first process that needs it runs the migrations, and leaves a copy for the others and for later runs.
    """
    creation: Any = connection.creation
    before, name = connection.settings_dict["NAME"], str(creation._get_test_db_name())
    stem = f"{name.partition('_gw')[0].removesuffix('.sqlite3')}{_MARK}"
    migrated = f"{stem}{_digest()}"
    with _alone():
        if _exists(migrated):
            _copy(migrated, name)
            settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
        else:
            _drop_named(stem)
            # Django 5.2 would write down what the database holds; 6.0 wants no word of it.
            unread: dict[str, bool] = {} if django.VERSION >= (6, 0) else {"serialize": False}
            creation.create_test_db(verbosity=0, autoclobber=True, **unread)
            connection.close()
            _copy(name, migrated)
    try:
        yield
    finally:
        creation.destroy_test_db(before, verbosity=0)


def _digest() -> str:
    """Changes whenever something does that migrations, or what follows them, depend on."""
    found = hashlib.sha256()
    for pattern in _MADE_BY:
        for path in sorted(settings.BASE_DIR.glob(pattern)):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Processes make and copy databases one after another."""
    with (Path(tempfile.gettempdir()) / f"rungs-{os.getuid()}-databases.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _exists(name: str) -> bool:
    if connection.vendor == "sqlite":
        return Path(name).exists()
    return name in _names_beginning(name)


def _copy(source: str, target: str) -> None:
    if connection.vendor == "sqlite":
        shutil.copy(source, f"{target}.half")
        for left in ("-wal", "-shm"):  # of a run that was killed: SQLite would play them into the copy
            Path(f"{target}{left}").unlink(missing_ok=True)
        os.replace(f"{target}.half", target)
        return
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{target}"')
        cursor.execute(f'CREATE DATABASE "{target}" TEMPLATE "{source}"')


def _drop_named(stem: str) -> None:
    """Drop the databases of other code."""
    if connection.vendor == "sqlite":
        for path in Path(stem).parent.glob(f"{Path(stem).name}*"):
            path.unlink()
        return
    for name in _names_beginning(stem):
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')


def _names_beginning(stem: str) -> list[str]:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [stem])
        return [name for (name,) in cursor.fetchall()]
