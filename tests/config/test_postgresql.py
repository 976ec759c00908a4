"""Moments as PostgreSQL tells them."""

import datetime as dt

import pytest
from django.db import connection, utils

from tests.journeys.servers import SCALED

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not SCALED, reason="the embedded profile has SQLite")]


def said(moment):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [moment])
        return cursor.fetchone()[0]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-01-31 18:00:00.000001+00", (2026, 1, 31, 18, 0, 0, 1)),
        ("2026-01-31 18:00:00.12+02", (2026, 1, 31, 16, 0, 0, 120_000)),
        ("2026-01-31 18:00:00-05:30", (2026, 1, 31, 23, 30)),
        ("0001-01-01 00:00:00+00", (1, 1, 1)),
        ("9999-12-31 23:59:59.999999+00", (9999, 12, 31, 23, 59, 59, 999_999)),
    ],
)
def test_moments_are_read_to_the_microsecond_in_utc(written, read):
    moment = said(written)
    assert (moment, moment.tzinfo) == (dt.datetime(*read, tzinfo=dt.UTC), dt.UTC)


def test_no_moment_is_none():
    assert said(None) is None


@pytest.mark.parametrize("beyond", ["infinity", "-infinity", "10000-01-01 00:00:00+00", "0044-03-15 12:00:00+00 BC"])
def test_what_python_cant_hold_is_refused(beyond):
    with pytest.raises(utils.DataError, match="timestamp"):
        said(beyond)
