"""A database that is full or may only be read: 503, when to send it again, and nothing half written."""

import pytest
from django.db import connection

from ranking.matches import invariants
from ranking.models import Match
from tests.support.api import call, counts, get, make_key, result
from tests.support.factories import NOW, make_mode
from tests.support.refusing_databases import full, read_only

pytestmark = pytest.mark.django_db(transaction=True)


def refusing(context, path: str, body, key: str) -> tuple[dict[str, int], dict[str, int]]:
    """Rows before and after a request that the database refuses."""
    before = counts()
    with context:
        answer = call("POST", path, body, key=key)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert answer.body["detail"] == "The database can't answer just now; nothing is half written. Send it again."
    return before, counts()


def used_key() -> str:
    """A key whose use is noted already, so that it isn't what fails."""
    key = make_key()
    get("players/", key=key)
    return key


def test_a_database_that_may_only_be_read():
    make_mode()
    key, sent = used_key(), result()
    before, after = refusing(read_only(), "matches/", sent, key)
    assert before == after
    assert call("POST", "matches/", sent, key=key).status == 201


def test_a_key_whose_use_cannot_be_noted():
    make_mode()
    before, after = refusing(read_only(), "matches/", result(), make_key())
    assert before == after


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL can't be told to be full")
def test_a_full_disk_in_the_midst_of_results():
    make_mode()
    key = used_key()
    teams = [[{"id": f"{side}{number}-{'x' * 100}"} for number in range(6)] for side in "ab"]
    sent = [
        result(id=f"{index}-{'x' * 100}", teams=[{"score": 1 + side, "players": teams[side]} for side in (0, 1)])
        for index in range(100)
    ]
    before, after = refusing(full(), "matches/bulk/", {"matches": sent}, key)
    assert before == after
    assert list(invariants.violations(NOW)) == []
    answer = call("POST", "matches/bulk/", {"matches": sent}, key=key)
    assert {item["status"] for item in answer.body["matches"]} == {201}
    assert Match.objects.count() == 100
