"""Backups: writes the whole database to one file while the site runs, and restores it into an empty database.

SQLite: VACUUM INTO, which writes a copy of the database as of one moment. PostgreSQL: pg_dump and pg_restore.
"""

import os
import re
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection


class BackupFailed(Exception):
    """A backup or a restore failed; the message says why, and what to do."""


def back_up(file: Path) -> None:
    """Write a new file with everything that is committed at one moment, and read it again.

    If this fails, there is no file. Raises BackupFailed.
    """
    if file.exists():
        raise BackupFailed(f"{file} exists already; give a new name.")
    if not file.parent.is_dir():
        raise BackupFailed(f"There is no directory {file.parent}.")
    partial = partial_of(file)
    try:
        delete_partial(partial)
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # it holds password digests
        _write(partial)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        _check(partial)
        partial.rename(file)
    except (OSError, DatabaseError) as error:
        raise BackupFailed(f"{file} can't be written: {error}.") from error
    finally:
        delete_partial(partial)


def partial_of(file: Path) -> Path:
    """Return the name of a backup while it is being written."""
    return file.with_name(f".{file.name}.partial")


def delete_partial(partial: Path) -> None:
    """Delete what a backup left that wasn't finished, if there is anything, and if it can be deleted."""
    for end in ("", "-journal", "-wal", "-shm"):  # SQLite's own files beside the copy that it writes
        with suppress(OSError):
            partial.with_name(f"{partial.name}{end}").unlink(missing_ok=True)


def _write(file: Path) -> None:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(file)])
        return
    try:
        _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={file}")
    except BackupFailed as failed:
        if "version mismatch" in str(failed) and (too_old := find_old_pg_dump()):
            raise BackupFailed(too_old) from failed
        raise


def find_old_pg_dump() -> str | None:
    """Return a sentence if pg_dump is older than the PostgreSQL server, which it then refuses to back up."""
    if connection.vendor != "postgresql":
        return None
    try:
        process = subprocess.run(["pg_dump", "--version"], capture_output=True, text=True, check=False)  # noqa: S607
    except OSError:  # a machine that makes no backups needs none
        return None
    version = re.search(r" (\d+)", process.stdout)  # "pg_dump (PostgreSQL) 15.20 (Debian …)"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        server = int(cursor.fetchone()[0]) // 10_000
    if version is None or int(version[1]) >= server:
        return None
    return (
        f"pg_dump {version[1]} can't back up a server of PostgreSQL {server}. "
        f"Install the client programs of PostgreSQL {server}, in Debian's package postgresql-client-{server}."
    )


def _check(file: Path) -> None:
    """Read all of a backup. Raises BackupFailed if it can't be restored."""
    if connection.vendor == "sqlite":
        _check_sqlite(file)
    else:
        _run("pg_restore", "--file=/dev/null", str(file))


def _check_sqlite(file: Path) -> None:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as backup:
        try:
            (verdict,) = backup.execute("PRAGMA integrity_check").fetchone()
            backup.execute("SELECT 1 FROM django_migrations")
        except sqlite3.DatabaseError as error:
            raise BackupFailed(f"{file} is no backup of this site: {error}.") from None
    if verdict != "ok":
        raise BackupFailed(f"{file} is damaged: {verdict}.")


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
    _check_sqlite(file)
    connection.close()
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as backup,
        closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database,
    ):
        backup.backup(database)


def _run(program: str, *arguments: str) -> None:
    """Run a program of PostgreSQL, which reads from environment variables how to connect to the database."""
    environment = {**os.environ, **libpq_environment(settings.DATABASES["default"])}
    try:
        process = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise BackupFailed(f"{program} isn't installed; it comes with PostgreSQL's client programs.") from None
    if process.returncode:
        raise BackupFailed(f"{program}: {process.stderr.strip()}")


def libpq_environment(database: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables by which PostgreSQL's programs connect as the site does, with its TLS and its options."""
    from psycopg.pq import Conninfo  # not at the top: the embedded profile needs no psycopg

    given = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    values = {**database.get("OPTIONS", {}), **{word: database.get(key) for word, key in given.items()}}
    variables = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    return {
        variable.decode(): str(values[word])
        for word, variable in variables.items()
        if variable and values.get(word) not in (None, "")
    }
