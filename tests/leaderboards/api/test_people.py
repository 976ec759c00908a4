"""/api/v1/players/me/following/ and …/blocked/, …/avoided/: a player's token acts for its player."""

import datetime as dt
from urllib.parse import quote

import pytest
from django.utils import timezone

from leaderboards.models import Following
from ranking.models import Player
from tests.support.api import call, follow, get, make_key, make_token

pytestmark = pytest.mark.django_db
LISTS = ["following", "blocked"]


def token_of_ann(*others: str) -> str:
    """The token of `ann`, beside players of these keys."""
    now = timezone.now()
    players = [Player(key=key, name=key.title(), search_name=key, created_at=now) for key in ("ann", *others)]
    return make_token(Player.objects.bulk_create(players)[0])


def ask(method: str, path: str, token: str):
    return call(method, f"players/me/{path}", key=token)


@pytest.mark.parametrize("name", LISTS)
def test_put_get_delete_each_as_often_as_one_likes(name):
    token = token_of_ann("bob")
    first, second = (ask("PUT", f"{name}/bob/", token) for _ in range(2))
    assert (first.status, first.body) == (200, {"id": "bob", "name": "Bob", "since": first.body["since"]})
    assert (second.status, second.body) == (200, first.body)
    assert ask("GET", f"{name}/bob/", token).body == first.body
    assert [ask("DELETE", f"{name}/bob/", token).status for _ in range(2)] == [204, 204]
    assert ask("GET", f"{name}/bob/", token).status == 404


@pytest.mark.parametrize("name", LISTS)
def test_a_list_in_pages_latest_first(name):
    token = token_of_ann(*(f"p{number:02}" for number in range(7)))
    for number in range(7):
        ask("PUT", f"{name}/p{number:02}/", token)
    page = ask("GET", f"{name}/?limit=5", token)
    rest = follow(page.body["next"], key=token)
    told = [person["id"] for answer in (page, rest) for person in answer.body["items"]]
    assert (told, rest.body["next"]) == ([f"p{number:02}" for number in reversed(range(7))], None)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("number", [1, 3])
def test_queries_of_a_list(django_assert_num_queries, name, number):
    token = token_of_ann(*(f"p{index}" for index in range(3)))
    for index in range(number):
        ask("PUT", f"{name}/p{index}/", token)
    with django_assert_num_queries(2):
        assert len(ask("GET", f"{name}/", token).body["items"]) == number


REFUSED = {
    ("PUT", "following/nobody/"): (404, "There is no player 'nobody'."),
    ("DELETE", "following/nobody/"): (404, "There is no player 'nobody'."),
    ("GET", "blocked/%00/"): (404, "There is no player '\\x00'."),
    ("GET", "following/bob/"): (404, "You don't follow 'bob'."),
    ("GET", "blocked/bob/"): (404, "You don't block 'bob'."),
    ("PUT", "following/ann/"): (400, "You are on your own boards already; follow somebody else."),
    ("PUT", "blocked/ann/"): (400, "You can't block yourself."),
    ("PUT", "following/bob/?x=1"): (400, "x: This takes no parameters."),
    ("GET", "following/?after=x"): (400, "after: That page doesn't exist; follow `next` of the page before it."),
}


def test_what_is_refused():
    token = token_of_ann("bob")
    answers = {call: ask(*call, token) for call in REFUSED}
    assert {call: (answer.status, answer.body["detail"]) for call, answer in answers.items()} == REFUSED


def test_ten_are_avoided_until_a_day():
    token = token_of_ann(*(f"p{number}" for number in range(11)))
    answers = [ask("PUT", f"avoided/p{number}/", token) for number in range(11)]
    assert [answer.status for answer in answers] == [200] * 10 + [409]
    first = answers[0].body
    assert dt.datetime.fromisoformat(first["until"]) - dt.datetime.fromisoformat(first["since"]) == dt.timedelta(30)
    assert ask("GET", "avoided/p0/", token).body == first
    assert [person["id"] for person in ask("GET", "avoided/?limit=2", token).body["items"]] == ["p9", "p8"]
    assert [ask("DELETE", "avoided/p0/", token).status for _ in range(2)] == [204, 204]
    assert ask("GET", "avoided/p0/", token).body["detail"] == "You don't avoid 'p0'."


def test_who_was_blocked_cannot_follow():
    token = token_of_ann("bob")
    ask("PUT", "following/bob/", token)
    call("PUT", "players/me/blocked/ann/", key=make_token(Player.objects.get(key="bob")))
    assert Following.objects.count() == 0
    answer = ask("PUT", "following/bob/", token)
    assert (answer.status, answer.body["detail"]) == (409, "Bob doesn’t want you to follow them.")


def test_a_thousand_is_the_most():
    token = token_of_ann(*(f"p{number}" for number in range(1001)))
    ann, *others = Player.objects.order_by("pk")
    now = timezone.now()
    Following.objects.bulk_create(Following(follower=ann, followed=other, since=now) for other in others[:1000])
    assert ask("PUT", "following/p1000/", token).status == 409


@pytest.mark.parametrize("path", ["following/", "blocked/", "following/bob/", "blocked/bob/"])
def test_it_is_for_players(path):
    token_of_ann("bob")
    stranger, key = get(f"players/me/{path}"), get(f"players/me/{path}", key=make_key("players"))
    assert (stranger.status, stranger.body["detail"], key.status, key.body["detail"]) == (
        401, "This needs a player's token: 'Authorization: Bearer <token>'.",
        403, "This is for players: call it with a player's token instead of a key.",
    )  # fmt: skip


def test_any_key_can_be_followed():
    keys = ["a/b", "a b", "é東", "x/history", "history", "me", "following"]
    token = token_of_ann(*keys)
    assert [ask("PUT", f"following/{quote(key, safe='')}/", token).body["id"] for key in keys] == keys


@pytest.mark.parametrize("key", ["me", "me/x", "me/following", "following", "me/followings/x"])
def test_a_player_keyed_like_these_addresses_has_a_page(client, key):
    token_of_ann(key)
    assert client.get(f"/players/{quote(key)}/").status_code == 200
