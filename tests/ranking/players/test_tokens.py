"""Players' tokens: whose, how long, and that they end with the key that obtained them."""

import datetime as dt

import pytest
import time_machine
from django.core.signing import TimestampSigner
from pytest_django import DjangoAssertNumQueries

from ranking.models import Key, Player
from ranking.operations.keys import create_key, find_key, revoke_key, rotate_key
from ranking.players.tokens import LIFE, PREFIX, find_bearer, issue_token
from tests.support.api import call, get, make_key
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def player() -> Player:
    return Player.objects.create(key="p1", name="Kestrel", search_name="kestrel", created_at=NOW)


@pytest.fixture
def key() -> Key:
    found = find_key(create_key("game", scopes=["players"], now=NOW), now=NOW)
    assert found is not None
    return found


def holder(token: str) -> Player | None:
    """The player whose token it is."""
    bearer = find_bearer(token)
    return None if bearer is None else bearer[0]


@pytest.mark.parametrize(("later", "good"), [(0, True), (3_599, True), (3_601, False)])
def test_a_token_is_its_players_for_an_hour(player: Player, key: Key, later: int, good: bool) -> None:
    with time_machine.travel(NOW, tick=False):
        token = issue_token(player, key=key)
    with time_machine.travel(NOW + dt.timedelta(seconds=later), tick=False):
        assert holder(token) == (player if good else None)
    assert dt.timedelta(hours=1) == LIFE


@pytest.mark.parametrize("change", ["x", " ", "\u00e9", "\0"])
def test_a_token_that_was_changed_is_nobodys(player: Player, key: Key, change: str) -> None:
    assert holder(issue_token(player, key=key) + change) is None


def test_a_token_of_an_earlier_version_is_nobodys(player: Player) -> None:
    """It named no key, so nobody could revoke it. It was valid for an hour."""
    assert holder(PREFIX + TimestampSigner(salt="ranking.tokens").sign(str(player.pk))) is None


def test_a_token_ends_with_its_key(player: Player, key: Key) -> None:
    token = issue_token(player, key=key)
    assert holder(token) == player
    revoke_key(key, now=NOW)
    assert holder(token) is None


def test_a_token_ends_with_the_row_of_its_key(player: Player, key: Key) -> None:
    token = issue_token(player, key=key)
    key.delete()
    assert holder(token) is None


def test_while_two_keys_overlap_each_ends_its_own_tokens(player: Player, key: Key) -> None:
    successor, _ = rotate_key(key, now=NOW)
    old, new = (issue_token(player, key=each) for each in (key, successor))
    revoke_key(key, now=NOW)
    assert (holder(old), holder(new)) == (None, player)


def test_a_token_and_its_key_are_one_query(
    player: Player, key: Key, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = issue_token(player, key=key)
    with django_assert_num_queries(1):
        find_bearer(token)


def test_the_api_refuses_a_token_from_the_request_after_the_revocation() -> None:
    make_mode()
    record(["a"], ["b"])
    secret = make_key("players")
    token = call("POST", "players/a/token/", key=secret).body["token"]
    assert get("parties/me/", key=token).status == 200
    revoke_key(Key.objects.get(prefix=secret.split("_")[1]), now=NOW)
    answer = get("parties/me/", key=token)
    assert (answer.status, answer.body["detail"]) == (
        401, "This token has expired, its key was revoked, or it was not issued here.",
    )  # fmt: skip
