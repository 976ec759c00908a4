"""The pages of whom one follows and blocks, and the buttons, with HTMX and without."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboards.models import Blocking, Following
from leaderboards.people.following import avoid_player, avoidances_of, block_player, follow_player
from leaderboards.people.pages import People
from ranking.models import Match, Player
from ranking.players.search import PLAYERS
from ranking.standings.publishing import publish
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
QUERIES_OF_RECENT = 8


@pytest.fixture
def viewer(log_in: Callable[[str], Player]) -> Player:
    """Logged in as `ann`, beside sixty others."""
    keys = ["ann", *(f"p{number:02}" for number in range(60))]
    Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=NOW) for key in keys)
    return log_in("ann")


def other(key: str = "p00") -> Player:
    return Player.objects.get(key=key)


def shown(client: Client, url: str = "/people/") -> list[str]:
    people: People = client.get(url).context["people"]
    return [person.player.key for person in people.people]


def post(client: Client, verb: str, key: str = "p00", **more: Any) -> Any:
    return client.post(f"/people/{verb}/", {"player": key, **more.pop("data", {})}, **more)


def test_latest_first_fifty_a_page(client: Client, viewer: Player) -> None:
    for number in range(60):
        follow_player(viewer, other(f"p{number:02}"), now=NOW)
    first = client.get("/people/").context["people"]
    assert shown(client) == [f"p{number:02}" for number in range(59, 9, -1)]
    assert shown(client, f"/people/?after={first.next}") == [f"p{number:02}" for number in range(9, -1, -1)]
    assert shown(client, "/people/?after=nonsense") == shown(client)
    assert first.following == 60


def test_blocked_likewise(client: Client, viewer: Player) -> None:
    block_player(viewer, other("p07"), now=NOW)
    assert shown(client, "/people/blocked/") == ["p07"]
    assert "Unblock" in client.get("/people/blocked/").content.decode()


def test_search_finds_anybody(client: Client, viewer: Player) -> None:
    follow_player(viewer, other("p01"), now=NOW)
    found = client.get("/people/?q=P0").context["people"]
    assert [(one.player.key, one.relation.follows) for one in found.people] == [
        (f"p0{number}", number == 1) for number in range(10)
    ]
    assert client.get("/people/?q=ann").context["people"].people[0].relation is None
    assert "Nobody’s name has" in client.get("/people/?q=%00x").content.decode()


def test_search_goes_on_to_the_last(client: Client, viewer: Player) -> None:
    page = client.get("/people/?q=p")
    found = [one.player.key for one in page.context["people"].people]
    following = re.search(r'id="next" rel="next" href="([^"]+)"', page.text)
    assert following
    page = client.get(html.unescape(following[1]))
    found += [one.player.key for one in page.context["people"].people]
    assert found == [f"p{number:02}" for number in range(60)]
    assert page.context["people"].next == ""
    gone = PLAYERS.cursor_of(Player(pk=2**62, search_name="pz"))
    assert len(client.get("/people/", {"q": "p", "after": gone}).context["people"].people) == 50


@pytest.mark.parametrize(
    ("url", "words"), [("/people/", "You follow nobody yet"), ("/people/blocked/", "You block nobody")]
)
def test_empty_lists_say_what_to_do(client: Client, viewer: Player, url: str, words: str) -> None:
    assert words in client.get(url).content.decode()


@pytest.mark.parametrize("verb", ["follow", "unfollow", "block", "unblock"])
def test_a_button_comes_back_to_where_it_was_pressed(client: Client, viewer: Player, verb: str) -> None:
    follow_player(viewer, other(), now=NOW)
    if verb == "unblock":
        block_player(viewer, other(), now=NOW)
    answer = post(client, verb, data={"next": "/people/?q=p"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/people/?q=p")
    assert (Following.objects.count(), Blocking.objects.count()) == (int(verb != "unfollow"), int(verb == "block"))


@pytest.mark.parametrize("there", ["", "https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"])
def test_it_leads_nowhere_else(client: Client, viewer: Player, there: str) -> None:
    assert post(client, "follow", data={"next": there}).headers["Location"] == "/players/p00/"


@pytest.mark.parametrize(
    ("verb", "words"),
    [("follow", "You follow p00 now"), ("unfollow", "You don’t follow p00"), ("block", "p00 is blocked")],
)
def test_htmx_gets_the_button_as_it_is_then(client: Client, viewer: Player, verb: str, words: str) -> None:
    body = post(client, verb, headers=HTMX).content.decode()
    assert words in body
    assert "<html" not in body


def test_the_player_pages_buttons_stay_both(client: Client, viewer: Player) -> None:
    body = post(client, "follow", data={"whole": "1"}, headers=HTMX).content.decode()
    assert [f'action="/people/{verb}/"' in body for verb in ("unfollow", "block", "follow")] == [True, True, False]


def test_a_refusal_is_a_sentence(client: Client, viewer: Player) -> None:
    block_player(other(), viewer, now=NOW)
    page, part = post(client, "follow"), post(client, "follow", headers=HTMX)
    assert (page.status_code, part.status_code) == (409, 200)
    for answer in (page, part):
        assert "p00 doesn’t want you to follow them." in answer.content.decode()


@pytest.mark.parametrize("key", ["nobody", "", "a\0b"])
def test_nobody_to_follow(client: Client, viewer: Player, key: str) -> None:
    assert post(client, "follow", key).status_code == 404


def test_strangers_log_in_first(client: Client) -> None:
    assert client.get("/people/").headers["Location"] == "/account/login/?next=/people/"
    assert client.post("/people/follow/", {"player": "x"}).headers["Location"].startswith("/account/login/")
    assert client.get("/people/follow/").status_code == 405


def test_an_account_without_a_player_follows_nobody(client: Client) -> None:
    client.force_login(User.objects.create_user("nobody"))
    assert '<div class="no-player">' in client.get("/people/").text
    assert post(client, "follow").status_code == 404


@pytest.mark.parametrize(("url", "more"), [("/people/", 1), ("/people/blocked/", 0), ("/people/?q=p", 0)])
@pytest.mark.parametrize("number", [1, 3])
def test_queries(
    client: Client, viewer: Player, django_assert_num_queries: DjangoAssertNumQueries, url: str, more: int, number: int
) -> None:
    """Session, user, player, modes; how many, the rows, what they are, their standings; who plays."""
    for index in range(number):
        follow_player(viewer, other(f"p{index:02}"), now=NOW)
        block_player(viewer, other(f"p{index:02}"), now=NOW)
    with django_assert_num_queries(4 + 4 + more):
        client.get(url)


def test_buttons_stand_beside_names(client: Client, log_in: Callable[[str], Player]) -> None:
    mode = make_mode("duel")
    match = record(["me"], ["you"]).record.match
    publish(mode, now=NOW)
    pages = [f"/matches/{match.pk}/", "/boards/duel/?q=y", "/players/you/"]
    assert ["/people/follow/" in client.get(page).content.decode() for page in pages] == [False] * 3
    log_in("me")
    assert [client.get(page).content.decode().count('action="/people/follow/"') for page in pages] == [1, 1, 1]
    assert "/compare/me/you/?mode=duel" in client.get("/players/you/").content.decode()
    assert "/people/follow/" not in client.get("/players/me/").content.decode()


def test_whom_one_has_just_played_with(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode(team_size_min=2, team_size_max=2)
    record(["me", "mate"], ["foe", "robot"])
    record(["me", "foe"], ["mate", "late"])
    Player.objects.filter(key="robot").update(is_bot=True)
    me = log_in("me")
    avoid_player(me, other("foe"), now=timezone.now())
    page = client.get("/people/recent/").context["recent"]
    met = [(one.player.key, one.together, one.relation.avoids) for one in page.people]
    assert met == [("foe", True, True), ("mate", False, False), ("late", False, False)]
    assert [row.avoided.key for row in page.avoided] == ["foe"]
    first = Match.objects.order_by("pk").first()
    assert first is not None
    for before, keys in ((first.pk + 1, ["mate", "foe"]), ("nonsense", ["foe", "mate", "late"])):
        page = client.get("/people/recent/", {"before": before}).context["recent"]
        assert [one.player.key for one in page.people] == keys
    post(client, "unavoid", "foe")
    post(client, "avoid", "late")
    assert [row.avoided.key for row in avoidances_of(me, timezone.now())] == ["late"]


def test_ids_are_unique_beside_the_list_of_those_avoided(client: Client, log_in: Callable[[str], Player]) -> None:
    make_mode()
    record(["me"], ["foe"])
    avoid_player(log_in("me"), other("foe"), now=timezone.now())
    ids = re.findall(r' id="([^"]+)"', client.get("/people/recent/").text)
    assert len(ids) == len(set(ids))


def test_avoiding_has_the_list_of_those_avoided_read_anew(client: Client, viewer: Player) -> None:
    triggers = {
        verb: post(client, verb, headers=HTMX).headers.get("HX-Trigger") for verb in ("follow", "avoid", "unavoid")
    }
    assert triggers == {"follow": None, "avoid": "avoidance", "unavoid": "avoidance"}


def test_queries_of_whom_one_has_just_played_with(
    client: Client, log_in: Callable[[str], Player], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_mode()
    for number in range(12):
        record(["me"], [f"foe-{number}"])
        if number == 0:
            log_in("me")
        if number in (0, 11):
            with django_assert_num_queries(QUERIES_OF_RECENT):
                assert len(client.get("/people/recent/").context["recent"].people) == min(number + 1, 10)
