"""Timestamps as PostgreSQL sends them, read by our loader on each new connection."""

import datetime as dt

import pytest
from django.db import connection, utils

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite stores timestamps as texts"),
]


def read(written):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [written])
        return cursor.fetchone()[0]


def test_each_new_connection_has_the_loader():
    from ranking.database.timestamps import TimestampLoader

    other = connection.copy()
    other.ensure_connection()
    loader = other.connection.adapters.get_loader(other.connection.adapters.types["timestamptz"].oid, 0)
    other.close()
    assert loader is TimestampLoader


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-01-31 18:00:00.000001+00", (2026, 1, 31, 18, 0, 0, 1)),
        ("2026-01-31 18:00:00.12+02", (2026, 1, 31, 16, 0, 0, 120_000)),
        ("2026-01-31 18:00:00-05:30", (2026, 1, 31, 23, 30)),
        ("0001-01-01 00:00:00+00", (1, 1, 1)),
        ("9999-12-31 23:59:59.999999+00", (9999, 12, 31, 23, 59, 59, 999_999)),
    ],
)
def test_timestamps_are_read_to_the_microsecond_in_utc(written, expected):
    moment = read(written)
    assert (moment, moment.tzinfo) == (dt.datetime(*expected, tzinfo=dt.UTC), dt.UTC)


def test_null_is_none():
    assert read(None) is None


@pytest.mark.parametrize("beyond", ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 12:00:00+00 BC"])
def test_what_python_cant_hold_is_refused(beyond):
    with pytest.raises(utils.DataError, match="timestamp"):
        read(beyond)
