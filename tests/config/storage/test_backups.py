"""What backup and restore refuse; that they work is a journey (tests/journeys/test_backup.py)."""

import os
import subprocess
import sys

import environ
import pytest
from django.db import connection

from config.management.commands.doctor import settings_violations
from config.storage.backups import BackupFailed, back_up, libpq_environment, restore
from tests.support.environment import SCALED_SITE
from tests.support.paths import ROOT


def check_refused(act, file, sentence):
    with pytest.raises(BackupFailed) as refused:
        act(file)
    assert sentence in str(refused.value)


def test_a_backup_overwrites_nothing(tmp_path):
    file = tmp_path / "yesterdays"
    file.write_text("kept")
    check_refused(back_up, file, f"{file} exists already")
    check_refused(back_up, tmp_path / "nowhere" / "file", f"There is no directory {tmp_path / 'nowhere'}.")
    assert [(left.name, left.read_text()) for left in tmp_path.iterdir()] == [("yesterdays", "kept")]


@pytest.mark.django_db
def test_only_an_empty_database_is_filled(tmp_path):
    file = tmp_path / "backup"
    check_refused(restore, file, f"There is no file {file}.")
    file.touch()
    check_refused(restore, file, "This database isn't empty.")


TLS = "sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/site.pem&sslkey=/site.key&options=-c%20search_path%3Drungs"
VARIABLES = {
    "PGHOST": "db", "PGPORT": "6432", "PGUSER": "me", "PGPASSWORD": "secret", "PGDATABASE": "rungs",
    "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/ca.pem", "PGSSLCERT": "/site.pem", "PGSSLKEY": "/site.key",
    "PGOPTIONS": "-c search_path=rungs",
}  # fmt: skip


@pytest.mark.parametrize(
    ("url", "variables"),
    [
        (f"postgres://me:secret@db:6432/rungs?{TLS}", VARIABLES),
        ("postgres:///rungs?keepalives=1", {"PGDATABASE": "rungs"}),
    ],
)
def test_postgresqls_programs_connect_as_the_site_does(url, variables):
    database = environ.Env.db_url_config(url)
    database["OPTIONS"] = {**database.get("OPTIONS", {}), "server_side_binding": True, "prepare_threshold": 5}
    assert libpq_environment(database) == variables


def test_pg_dump_is_given_the_tls_of_the_address(tmp_path):
    program = tmp_path / "pg_dump"
    program.write_text("#!/bin/sh\necho mode $PGSSLMODE, host $PGHOST >&2\nexit 1\n")
    program.chmod(0o755)
    site = {**SCALED_SITE, "RUNGS_DATABASE_URL": "postgres://me:secret@db/rungs?sslmode=verify-full"}
    done = subprocess.run(
        [sys.executable, "manage.py", "backup", str(tmp_path / "file")], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, **site, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert (done.returncode, "mode verify-full, host db" in done.stderr) == (1, True), done.stderr


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no pg_dump.")
@pytest.mark.parametrize(("version", "is_old"), [("9.6.24", True), ("99.1", False)])
def test_a_pg_dump_that_is_older_than_the_server_is_named(tmp_path, monkeypatch, version, is_old):
    program = tmp_path / "pg_dump"
    mismatch = 'echo "aborting because of server version mismatch" >&2; exit 1'
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "pg_dump (PostgreSQL) {version} (Debian)" || {{ {mismatch}; }}\n'
    )
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    server = connection.pg_version // 10_000
    too_old = (
        f"pg_dump {version.split('.')[0]} can't back up a server of PostgreSQL {server}. Install the client programs "
        f"of PostgreSQL {server}, in Debian's package postgresql-client-{server}."
    )
    named = [violation.sentence for violation in settings_violations() if violation.code == "backups.pg_dump"]
    assert named == ([too_old] if is_old else [])
    check_refused(back_up, tmp_path / "file", too_old if is_old else "server version mismatch")
