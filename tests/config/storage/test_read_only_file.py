"""SQLite, told to refuse writes: open connections obey from the next request on, too."""

import pytest
from django.core.signals import request_started
from django.db import OperationalError, connection

from config.storage.read_only import refuse_writes, take_writes
from ranking.models import Source
from tests.support.factories import make_source

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL ends the sessions itself."),
]


def test_an_open_connection_obeys_from_the_next_request_on():
    make_source("before")
    try:
        refuse_writes(connection)
        request_started.send(sender=None, environ={})
        with pytest.raises(OperationalError, match="readonly"):
            make_source("refused")
    finally:
        take_writes(connection)
    request_started.send(sender=None, environ={})
    make_source("after")
    assert {*Source.objects.values_list("slug", flat=True)} == {"before", "after"}
