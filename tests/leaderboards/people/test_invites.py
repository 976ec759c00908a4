"""Links by which players invite friends."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from leaderboards.models import Following
from leaderboards.people.following import block_player
from leaderboards.people.invites import LASTS, find_inviter, make_invite
from ranking.models import Player
from tests.support.factories import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Player]:
    return Player.objects.bulk_create(Player(key=key, name=key, search_name=key, created_at=NOW) for key in ("a", "b"))


def pairs() -> set[tuple[str, str]]:
    return set(Following.objects.values_list("follower__key", "followed__key"))


def link(player: Player) -> str:
    return f"/people/join/{make_invite(player)}/"


def test_both_follow_each_other(client: Client, people: list[Player], log_in: Callable[[str], Player]) -> None:
    inviter, _ = people
    assert "Log in" in client.get(link(inviter)).text
    client.post(link(inviter))
    assert pairs() == set()
    log_in("b")
    assert client.get("/people/").context["invite"].startswith("http://testserver/people/join/")
    assert pairs() == set()  # looking at a link does nothing
    client.get(link(inviter))
    assert pairs() == set()
    for _ in range(2):
        assert client.post(link(inviter)).headers["Location"] == "/players/a/"
    assert pairs() == {("a", "b"), ("b", "a")}


def test_blocks_hold(client: Client, people: list[Player], log_in: Callable[[str], Player]) -> None:
    inviter, guest = people
    log_in("b")
    block_player(inviter, guest, now=NOW)
    answer = client.post(link(inviter))
    assert (answer.status_code, pairs()) == (409, set())
    assert "a doesn’t want you to follow them." in answer.text
    block_player(guest, guest_of := Player.objects.create(key="c", name="c", search_name="c", created_at=NOW), now=NOW)
    answer = client.post(link(guest_of))
    assert (answer.status_code, pairs()) == (409, set())
    assert "You block c." in answer.text


def test_ones_own_link_follows_nobody(client: Client, people: list[Player], log_in: Callable[[str], Player]) -> None:
    own = log_in("a")
    assert "This is your own link" in client.get(link(own)).text
    assert (client.post(link(own)).status_code, pairs()) == (409, set())


def test_links_end(people: list[Player], time_machine) -> None:
    token, later = map(make_invite, people)
    assert find_inviter(token) == people[0]
    assert find_inviter(token[:-1]) is None
    assert find_inviter(later) == people[1]
    Player.objects.filter(key="a").update(anonymised_at=NOW, hidden_at=NOW, hides_matches=True)
    assert find_inviter(token) is None
    time_machine.move_to(timezone.now() + LASTS + dt.timedelta(seconds=2))
    assert find_inviter(later) is None
    assert find_inviter(make_invite(people[1])) == people[1]
