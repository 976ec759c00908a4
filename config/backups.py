"""Backups: a whole database in one file, taken while the site runs, and put into an empty database.

SQLite: VACUUM INTO, which reads one moment and writes a database of its own. PostgreSQL: pg_dump and pg_restore.
"""

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection


class BackupFailed(Exception):
    """A sentence about what went wrong, and what to do."""


def back_up(file: Path) -> None:
    """Write a new file with everything committed at one moment. It is there whole or not at all."""
    if file.exists():
        raise BackupFailed(f"{file} exists already; give a new name.")
    if not file.parent.is_dir():
        raise BackupFailed(f"There is no directory {file.parent}.")
    partial = file.with_name(f".{file.name}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it holds password digests
    try:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("VACUUM INTO %s", [str(partial)])
        else:
            _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={partial}")
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)


def restore(file: Path) -> None:
    """Fill the settings' database, which must be empty, from a backup; all of it or nothing."""
    if not file.is_file():
        raise BackupFailed(f"There is no file {file}.")
    if connection.introspection.table_names():
        raise BackupFailed("This database isn't empty. Set RUNGS_DATABASE_URL to a new one and restore into that.")
    if connection.vendor == "sqlite":
        _restore_sqlite(file)
    else:
        database = settings.DATABASES["default"]["NAME"]
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
        _run("pg_restore", *options, f"--dbname={database}", str(file))


def _restore_sqlite(file: Path) -> None:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as kept:
        try:
            (said,) = kept.execute("PRAGMA integrity_check").fetchone()
            kept.execute("SELECT 1 FROM django_migrations")
        except sqlite3.DatabaseError as error:
            raise BackupFailed(f"{file} is no backup of this site: {error}.") from None
        if said != "ok":
            raise BackupFailed(f"{file} is damaged: {said}.")
        connection.close()
        with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as empty:
            kept.backup(empty)


def _run(program: str, *arguments: str) -> None:
    """A program of PostgreSQL's, which finds the database and its password in its environment."""
    given = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    address = {name: str(given[key]) for name, key in names.items() if given.get(key)}
    try:
        done = subprocess.run(  # noqa: S603
            [program, *arguments], env={**os.environ, **address}, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise BackupFailed(f"{program} isn't installed; it comes with PostgreSQL's client programs.") from None
    if done.returncode:
        raise BackupFailed(f"{program}: {done.stderr.strip()}")
