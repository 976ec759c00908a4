"""A database that is told to refuse writes: what of PostgreSQL's sessions that don't end."""

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.storage.read_only import SessionsRemain, refuse_writes

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="Its sessions keep the setting they began with."),
]


@pytest.fixture
def other():
    """Another session of the same database, whose number is given."""
    details = {name: value for name, value in connection.get_connection_params().items() if name in _ADDRESS}
    with psycopg.connect(**details, autocommit=True) as session:
        yield session.info.backend_pid


_ADDRESS = ("dbname", "user", "password", "host", "port")


@pytest.fixture
def _unending():
    """Sessions outlive what ends them otherwise, as one does that its computer has stopped."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA unending")
        cursor.execute(
            "CREATE FUNCTION unending.pg_terminate_backend(integer, bigint) RETURNS boolean"
            " LANGUAGE sql AS 'SELECT false'"
        )
        cursor.execute("SET LOCAL search_path = unending, pg_catalog, public")


def sessions():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return {pid for (pid,) in cursor.fetchall()}


def test_other_sessions_end(other):
    assert other in sessions()
    refuse_writes(connection)
    assert other not in sessions()


@pytest.mark.usefixtures("_unending")
def test_sessions_that_do_not_end_are_named(other):
    with pytest.raises(SessionsRemain, match=rf"don't end \(pid .*\b{other}\b.*\): end them,"):
        refuse_writes(connection)
    with pytest.raises(CommandError, match=r"^New sessions take writes again\. Sessions of PostgreSQL don't end"):
        call_command("move", give_up=True)
