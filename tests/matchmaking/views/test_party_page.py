"""The party's page: rank, tier and state of each member, in as many queries however many they are."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from matchmaking.models import Queue
from matchmaking.parties import parties
from matchmaking.parties.page import PLAYING, QUEUED, load_party_page
from matchmaking.queues import queueing
from ranking.models import Ban, Player
from ranking.standings.publishing import publish
from tests.support.factories import NOW, ban_player, record
from tests.support.matchmaking import accept_all, form, make_player, make_queue, queue_up, start
from tests.support.page_tree import read_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def queue(db: None) -> Queue:
    return make_queue(size=3)


def gather(leader: Player, *others: Player) -> None:
    for player in others:
        parties.accept_invitation(parties.invite(player, by=leader, now=NOW), by=player, now=NOW)


def states(viewer: Player) -> dict[str, str]:
    page = load_party_page(viewer, now=NOW)
    return {member.player.key: page.states.get(member.player_id, "") for member in page.members}


def test_members_are_told_who_queues_and_plays_but_not_who_is_locked_out(queue):
    a, b, *rest = (make_player(name) for name in "abcdef")
    gather(a, b)
    ban_player(b, scope=Ban.QUEUE, by=None, reason="Cheating", now=NOW)
    assert states(a) == {"a": "", "b": ""}
    Ban.objects.all().delete()
    queueing.queue_party(a, queue, now=NOW)
    assert states(b) == {"a": QUEUED, "b": QUEUED}
    for player in rest:
        queue_up(queue, player)
    [lobby] = form(queue)
    start(accept_all(lobby))
    assert states(a) == {"a": PLAYING, "b": PLAYING}


def test_everybody_stands_with_rank_and_tier(queue):
    record(["a"], ["b"])
    publish(queue.mode, now=NOW)
    a, b, c = (Player.objects.filter(key=key).first() or make_player(key) for key in "abc")
    gather(a, b)
    parties.invite(c, by=a, now=NOW)
    page = load_party_page(a, now=NOW)
    ranks = [[place.rank for _, place in page.standings[player.pk].boards] for player in (a, b, c)]
    assert ranks == [[1], [2], []]


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_queries_however_many_members(django_assert_num_queries: Any, count: int):
    make_queue(size=4)
    leader, *others = (make_player() for _ in range(count + 1))
    gather(leader, *others)
    with django_assert_num_queries(9):
        page = load_party_page(leader, now=NOW)
    assert len(page.members) == count + 1


def test_nobody_is_told_that_they_are_alone_beside_a_party(queue):
    a, b = make_player("a"), make_player("b")
    Player.objects.filter(pk=a.pk).update(user=User.objects.create_user("a"))
    browser = Client()
    browser.force_login(User.objects.get())
    alone = "You are on your own"
    assert alone in read_page(browser.get("/party/").text).one("main").text
    gather(a, b)
    assert alone not in read_page(browser.get("/party/").text).one("main").text
