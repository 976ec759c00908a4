"""POST players/{id}/token/ and claim-code/: who may, what comes back, and what a caller is then."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from ranking.models import ClaimCode, Key, Player
from ranking.models.access import SCOPES
from ranking.players.anonymising import anonymise_player
from ranking.players.claims import claim_player
from tests.support.api import call, make_key
from tests.support.factories import make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.parametrize("what", ["token", "claim-code"])


@pytest.fixture(scope="module", autouse=True)
def _match(module_db) -> None:
    make_mode()
    record(["a/b"], ["b"])


@pytest.fixture
def player(db) -> Player:
    return Player.objects.get(key="a/b")


def ask(what: str, *scopes: str, id: str = "a/b", **more):
    return call("POST", f"players/{id}/{what}/", key=make_key(*scopes, **more) if scopes else "")


def test_only_the_scope_players_may(subtests):
    for what in ["token", "claim-code"]:
        for scope in SCOPES:
            with subtests.test(what=what, scope=scope), rolled_back():
                answer = ask(what, scope)
                assert answer.status == (201 if scope == "players" else 403)
                if scope != "players":
                    assert answer.body["detail"] == "This key lacks the scope 'players'."


@BOTH
def test_strangers_and_players_may_not(what):
    assert ask(what).status == 401
    token = ask("token", "players").body["token"]
    assert call("POST", f"players/a/b/{what}/", key=token).status == 403


def test_nobody_is_created(subtests):
    for what in ["token", "claim-code"]:
        for key in ["nobody", "%00", "a", "x" * 300]:
            with subtests.test(what=what, key=key), rolled_back():
                assert (ask(what, "players", id=key).status, Player.objects.count()) == (404, 2)


def test_nothing_but_post(subtests):
    for what in ["token", "claim-code"]:
        for method in ["GET", "PUT", "DELETE"]:
            with subtests.test(what=what, method=method), rolled_back():
                assert call(method, f"players/b/{what}/", key=make_key("players")).status == 405


@pytest.mark.parametrize(("what", "minutes"), [("token", 60), ("claim-code", 15)])
def test_it_says_until_when(what, minutes):
    left = parse_datetime(ask(what, "players").body["expires_at"]) - timezone.now()
    assert dt.timedelta(minutes=minutes, seconds=-5) < left <= dt.timedelta(minutes=minutes)


def test_a_token_lives_no_longer_than_its_key():
    key = make_key("players")
    ends_at = timezone.now().replace(microsecond=0) + dt.timedelta(minutes=5)
    Key.objects.update(expires_at=ends_at)
    answer = call("POST", "players/b/token/", key=key)
    assert parse_datetime(answer.body["expires_at"]) == ends_at


def test_a_token_is_the_players():
    answer = ask("token", "players")
    assert set(answer.body) == {"token", "expires_at"}
    assert who(Client(headers={"Authorization": f"Bearer {answer.body['token']}"})) == {"caller": "a/b"}


def test_a_code_claims_the_player(player):
    answer = ask("claim-code", "players")
    assert re.fullmatch(r"\w{4}-\w{4}", answer.body["code"])
    assert claim_player(answer.body["code"], by=User.objects.create(username="fox"), now=timezone.now()) == player
    assert ClaimCode.objects.count() == 0


# --- who calls: tests/support/caller_urls.py answers with the caller -----------------------------------------------


def who(client: Client, method: str = "get", **more):
    return getattr(client, method)("/who/", **more).json()


@pytest.fixture(autouse=True)
def _who(settings):
    settings.ROOT_URLCONF = "tests.support.caller_urls"


@pytest.fixture
def fox(player) -> User:
    user = User.objects.create_user("fox")
    Player.objects.filter(pk=player.pk).update(user=user)
    return user


def test_an_account_calls_as_its_player(fox):
    client = Client()
    client.force_login(fox)
    assert who(client) == {"caller": "a/b"}
    client.force_login(User.objects.create_user("owl"))
    assert who(client) == {"caller": None}


def test_a_key_or_token_speaks_for_itself(fox):
    client = Client(headers={"Authorization": f"Bearer {make_key()}"})
    client.force_login(fox)
    assert who(client) == {"caller": None}


def test_a_closed_account_calls_as_nobody(fox):
    client = Client()
    client.force_login(fox)
    User.objects.update(is_active=False)
    assert who(client) == {"caller": None}


def test_what_an_account_sends_needs_the_csrf_token(fox, settings):
    client = Client(enforce_csrf_checks=True)
    client.force_login(fox)
    refused = client.post("/who/")
    assert (refused.status_code, refused.json()["detail"]) == (
        403, "This needs the site's CSRF token in the header X-CSRFToken.",
    )  # fmt: skip
    client.cookies[settings.CSRF_COOKIE_NAME] = token = "a" * 32
    assert who(client, "post", content_type="application/json", headers={"X-CSRFToken": token}) == {"caller": "a/b"}


def test_without_a_cookie_nobody_is_looked_up(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert who(Client()) == {"caller": None}


def test_caches_keep_accounts_apart(fox):
    assert set(Client().get("/who/")["Vary"].split(", ")) >= {"Authorization", "Cookie"}


@BOTH
def test_nobody_becomes_a_former_player(what, player):
    anonymise_player(player, now=timezone.now())
    answer = ask(what, "players", id=player.key)
    assert (answer.status, answer.body.get("detail")) == (404, "This player has left for good.")
    assert not ClaimCode.objects.exists()
