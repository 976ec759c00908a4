"""Backups: writes the whole database to one file while the site runs, and restores it into an empty database.

SQLite: VACUUM INTO, which writes a copy of the database as of one moment. PostgreSQL: pg_dump and pg_restore.
"""

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection


class BackupFailed(Exception):
    """A backup or a restore failed; the message says why, and what to do."""


def back_up(file: Path) -> None:
    """Write a new file with everything that is committed at one moment. If this fails, there is no file."""
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
    """Fill the site's database, which must be empty, from a backup. If this fails, it stays empty."""
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
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as backup:
        try:
            (verdict,) = backup.execute("PRAGMA integrity_check").fetchone()
            backup.execute("SELECT 1 FROM django_migrations")
        except sqlite3.DatabaseError as error:
            raise BackupFailed(f"{file} is no backup of this site: {error}.") from None
        if verdict != "ok":
            raise BackupFailed(f"{file} is damaged: {verdict}.")
        connection.close()
        with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
            backup.backup(database)


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL, which reads the database's address and password from environment variables."""
    database = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    address = {name: str(database[key]) for name, key in names.items() if database.get(key)}
    try:
        process = subprocess.run(  # noqa: S603
            [program, *arguments], env={**os.environ, **address}, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise BackupFailed(f"{program} isn't installed; it comes with PostgreSQL's client programs.") from None
    if process.returncode:
        raise BackupFailed(f"{program}: {process.stderr.strip()}")
