"""Keys of players: `me` is the caller in addresses of the API, so no player gets it; every other has an address."""

import pytest

from matchmaking.models import Ticket
from ranking.models import Match, Player
from ranking.validation.rating_files import read_ratings
from tests.support.api import call, get, make_key, make_token, result, with_player
from tests.support.factories import make_mode
from tests.support.matchmaking import make_queue
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
RESERVED = ["me", "me/", "me/following/a"]
SENTENCE = "No player can have the key {!r}: /players/me/ is the address of the player who calls."


@pytest.mark.parametrize("key", RESERVED)
def test_a_result_with_it_is_refused_by_a_sentence(key):
    make_mode()
    answer = call("POST", "matches/", with_player(id=key), key=make_key())
    assert (answer.status, answer.fields) == (400, ["teams[1].players[0].id"])
    assert answer.body["errors"][0] == {
        "field": "teams[1].players[0].id", "code": "format", "detail": SENTENCE.format(key),
    }  # fmt: skip
    assert (Match.objects.exists(), Player.objects.exists()) == (False, False)


def test_in_a_bulk_only_the_result_with_it_is_refused():
    make_mode()
    answer = call("POST", "matches/bulk/", {"matches": [with_player(id="me"), result(id="m-2")]}, key=make_key())
    assert [item["status"] for item in answer.body["matches"]] == [400, 201]
    assert sorted(Player.objects.values_list("key", flat=True)) == ["a", "b"]


@pytest.mark.parametrize("key", RESERVED)
def test_a_ticket_for_it_is_refused(key):
    make_queue()
    answer = call("POST", "tickets/", {"mode": "duel", "player": key}, key=make_key("servers"))
    assert (answer.status, answer.fields, Ticket.objects.exists()) == (400, ["player"], False)


@pytest.mark.parametrize("key", RESERVED)
def test_a_file_of_ratings_with_it_is_refused(key):
    lines, faults = read_ratings([b"id,name,rating\n", f"{key},Fox,1500\n".encode()])
    assert (lines, [fault.sentence for fault in faults]) == ([], [f"id: {SENTENCE.format(key)}"])


def test_keys_that_are_alike_have_their_address(subtests):
    make_mode()
    for key in ["Me", "meme", "a/me", "me-1", "me me"]:
        with subtests.test(key=key), rolled_back():
            assert call("POST", "matches/", with_player(id=key), key=make_key()).status == 201
            assert get(f"players/{key}/").body["id"] == key
            own = get("players/me/", key=make_token(Player.objects.get(key=key)))
            assert own.body["id"] == key
