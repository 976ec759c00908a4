"""Moments as PostgreSQL tells them, and connections that are kept."""

import datetime as dt
import select

import pytest
from django.db import connection, utils
from django.db.backends.postgresql import base

from tests.support.servers import SCALED

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


@pytest.fixture
def kept():
    """A connection of its own."""
    wrapper = connection.copy()
    wrapper.ensure_connection()
    yield wrapper
    wrapper.close()


@pytest.fixture
def asked(monkeypatch):
    """How often a connection was asked whether it works."""
    times, ask = [], base.DatabaseWrapper.is_usable
    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", lambda self: times.append(self) or ask(self))
    return times


def tell(kept, statement):
    """Runs a statement elsewhere about the kept connection, and waits until there is something to read on it."""
    elsewhere = connection.copy()
    with elsewhere.cursor() as cursor:
        cursor.execute(statement, [kept.connection.info.backend_pid])
    elsewhere.close()
    assert select.select([kept.connection.fileno()], [], [], 5)[0]


def test_a_connection_that_says_nothing_is_usable_unasked(kept, asked):
    assert kept.is_usable()
    assert asked == []


def test_one_that_was_ended_isnt_usable(kept):
    tell(kept, "SELECT pg_terminate_backend(%s)")
    assert not kept.is_usable()


def test_one_that_has_something_to_say_is_asked(kept, asked):
    kept.connection.execute("LISTEN something")
    tell(kept, "SELECT pg_notify('something', %s::text)")
    assert kept.is_usable()
    assert len(asked) == 1


def test_one_on_which_something_went_wrong_is_asked(kept, asked):
    with pytest.raises(utils.ProgrammingError), kept.cursor() as cursor:
        cursor.execute("SELECT nothing")
    assert kept.is_usable()
    assert len(asked) == 1


def test_one_that_was_closed_here_isnt_usable(kept):
    kept.connection.close()
    assert not kept.is_usable()
    kept.close()
    assert not kept.is_usable()


def test_a_request_after_an_ended_connection_gets_a_new_one(kept):
    assert kept.health_check_enabled
    tell(kept, "SELECT pg_terminate_backend(%s)")
    kept.close_if_unusable_or_obsolete()  # as when a request begins
    with kept.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
