"""Poolers: which refusals name the setting that cures them, and whether PgBouncer in transaction mode is noticed."""

import os
import socket
import subprocess

import psycopg
import pytest
import structlog
from django.db import OperationalError, ProgrammingError, connection

from config.storage.poolers import OPTIONS, PREPARED, cure_of, loses_statements
from tests.support.log_lines import caught_logs
from tests.support.patience import wait_until
from tests.support.servers import free_port


def caused_by(error, cause):
    error.__cause__ = cause
    return error


def test_refusals_of_poolers_name_the_setting():
    cases = [
        (caused_by(ProgrammingError("exists"), psycopg.errors.DuplicatePreparedStatement("exists")), PREPARED),
        (caused_by(ValueError("later"), psycopg.errors.InvalidSqlStatementName("unknown")), PREPARED),
        (OperationalError("FATAL:  unsupported startup parameter: options"), OPTIONS),
        (OperationalError("FATAL:  unsupported startup parameter in options: search_path"), OPTIONS),
        (caused_by(ProgrammingError("gone"), psycopg.errors.UndefinedTable("gone")), None),
        (ValueError("x"), None),
    ]
    assert [(error, cure_of(error)) for error, _ in cases] == cases
    assert "RUNGS_DATABASE_PREPARED=no" in PREPARED


def test_the_log_names_the_setting_beside_the_error():
    with caught_logs(json=True) as text:
        try:
            raise caused_by(ProgrammingError("exists"), psycopg.errors.DuplicatePreparedStatement("exists"))
        except ProgrammingError:
            structlog.get_logger("rungs.test").exception("failed")
    assert f'"cure": "{PREPARED}"' in text.getvalue()


@pytest.fixture
def pooler(tmp_path, transactional_db):
    """PgBouncer before the test's database. Returns psycopg's parameters of a connection by it."""
    given, port = connection.settings_dict, free_port()
    server = f"host={given['HOST']} port={given['PORT']} user={given['USER']} password={given['PASSWORD']}"
    (tmp_path / "ini").write_text(
        f"[databases]\n* = {server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        "unix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
    )
    as_nobody = ["-u", "nobody"] if os.getuid() == 0 else []
    with subprocess.Popen(["pgbouncer", "-q", *as_nobody, str(tmp_path / "ini")], stderr=subprocess.DEVNULL) as process:
        assert wait_until(lambda: _answers(port))
        parameters = {name: value for name, value in connection.get_connection_params().items() if name != "options"}
        yield {**parameters, "host": "127.0.0.1", "port": port}
        process.kill()


def _answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.long  # PgBouncer older than 1.21, as Debian 12's
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pooler.")
def test_pgbouncer_in_transaction_mode_is_noticed(pooler):
    assert loses_statements(pooler)
    assert not loses_statements({**pooler, "prepare_threshold": None})  # as with RUNGS_DATABASE_PREPARED=no


@pytest.mark.long
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pooler.")
def test_an_option_that_pgbouncer_refuses_names_the_cure(pooler):
    with pytest.raises(psycopg.OperationalError) as refused:
        psycopg.connect(**{**pooler, "options": "-c search_path=rungs"})
    assert cure_of(refused.value) == OPTIONS


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pooler.")
def test_without_a_pooler_nothing_is_noticed():
    assert not loses_statements(connection.get_connection_params())
