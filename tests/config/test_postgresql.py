"""The connection to PostgreSQL: Django's own backend, whose kept connections are checked before a request uses them."""

import select

import pytest
from django.conf import settings
from django.db import connection

from tests.support.servers import SCALED

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not SCALED, reason="the embedded profile has SQLite")]


def test_the_backend_is_djangos_own():
    assert settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"


def test_a_request_after_an_ended_connection_gets_a_new_one():
    kept, other = connection.copy(), connection.copy()
    kept.ensure_connection()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [kept.connection.info.backend_pid])
    other.close()
    assert select.select([kept.connection.fileno()], [], [], 5)[0]  # the server has closed it
    kept.close_if_unusable_or_obsolete()  # as when a request begins
    with kept.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
    kept.close()
