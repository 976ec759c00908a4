"""/api/v1/players/me/: what players/{id}/ shows, for the player who calls, with the way to their conduct."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from ranking.models import Player
from ranking.standings.publishing import publish
from tests.support.api import call, get, make_key, make_token
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def fox() -> Player:
    make_mode(activity_days=None)
    publish(record(["fox"], ["owl"]).record.match.mode, now=NOW)
    return Player.objects.get(key="fox")


def test_a_token_gets_its_player(fox):
    token = make_token(fox)
    own, public = get("players/me/", key=token), get("players/fox/", key=token)
    assert (own.status, own.body["id"], len(own.body["modes"])) == (200, "fox", 1)
    assert own.body == {**public.body, "conduct": "http://testserver/api/v1/players/fox/conduct/"}
    assert get("players/fox/conduct/", key=token).status == 200


@pytest.mark.parametrize("key", ["clan/show", "show", "a/history", "x/seasons"])
def test_a_key_that_ends_like_an_address_has_all_of_its_own(fox, key):
    Player.objects.filter(pk=fox.pk).update(key=key)
    token = make_token(fox)
    own = get("players/me/", key=token)
    assert (own.status, own.body["id"]) == (200, key)
    assert get(own.body["conduct"].partition("/api/v1/")[2], key=token).status == 200


def test_an_account_gets_its_player(fox):
    fox.user = User.objects.create_user("fox")
    fox.save()
    client = Client()
    client.force_login(fox.user)
    assert client.get("/api/v1/players/me/").json()["id"] == "fox"


@pytest.mark.parametrize(
    ("key", "status", "code", "detail"),
    [
        (lambda: "", 401, "credentials-missing", "This needs a player's token: 'Authorization: Bearer <token>'."),
        (make_key, 403, "players-only", "This is for players: call it with a player's token instead of a key."),
    ],
)
def test_nobody_else_gets_one(key, status, code, detail):
    answer = get("players/me/", key=key())
    assert (answer.status, answer.body["code"], answer.body["detail"]) == (status, code, detail)


def test_it_is_only_read(fox):
    assert call("PUT", "players/me/", {}, key=make_token(fox)).status == 405


def test_unknown_parameters_are_refused(fox):
    assert get("players/me/?x=1", key=make_token(fox)).body["detail"] == "x: This takes no parameters."
