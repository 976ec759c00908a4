"""A site that can't write isn't ready, though its database answers; its processes are alive."""

import pytest
from django.contrib.sessions.models import Session
from django.db import connection

from tests.support.caches import forget_outcome

pytestmark = pytest.mark.django_db(transaction=True)
TAKES_NO_WRITES = "The database takes no writes: its disk may be full, or it is read-only."
READY = {"database": "ready", "writes": "ready", "migrations": "ready"}
ONLY = "/health/ready?only=database,writes,migrations"
sqlite_only = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite")


def execute(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def check(client):
    forget_outcome()
    answer = client.get(ONLY)
    return answer.status_code, answer.json()["checks"]


def test_it_writes_and_leaves_nothing(client):
    assert check(client) == (200, READY)
    assert not Session.objects.exists()


@pytest.mark.parametrize("path", [ONLY, "/health/ready?only=writes"])
def test_a_probe_writes_at_most_every_few_seconds(client, path, django_assert_num_queries):
    client.get(path)
    with django_assert_num_queries(0):
        assert client.get("/health/ready?only=writes").status_code == 200


def test_a_database_that_is_only_read(client):
    on, off = ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
    if connection.vendor == "postgresql":  # as on a standby, or by `ALTER ROLE … SET`
        on, off = (f"SET default_transaction_read_only = {state}" for state in ("on", "off"))
    execute(on)
    try:
        assert check(client) == (503, {**READY, "writes": TAKES_NO_WRITES})
        assert client.get("/health/live").status_code == 200
    finally:
        execute(off)
    assert client.get(ONLY).status_code == 503  # the outcome is kept
    assert check(client) == (200, READY)


@sqlite_only
def test_a_full_disk(client):
    most = execute("PRAGMA max_page_count")
    execute("VACUUM")  # no free pages within the file
    execute(f"PRAGMA max_page_count = {execute('PRAGMA page_count')}")
    try:
        assert check(client) == (503, {**READY, "writes": TAKES_NO_WRITES})
        assert client.get("/health/live").status_code == 200
    finally:
        execute(f"PRAGMA max_page_count = {most}")
    assert check(client) == (200, READY)


@sqlite_only
def test_the_usual_patience_is_kept(client):
    before = execute("PRAGMA busy_timeout")
    assert check(client) == (200, READY)
    assert execute("PRAGMA busy_timeout") == before
