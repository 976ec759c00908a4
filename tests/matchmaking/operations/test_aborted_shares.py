"""How many matches servers and sources called off: counted, bounded, and told to moderators."""

import datetime as dt

import pytest
from django.contrib.auth.models import User

from matchmaking import lifecycle
from matchmaking.models import Lobby, Server
from matchmaking.operations import aborted_shares
from matchmaking.operations.aborted_shares import AbortedShare, find_shares, high_shares, sum_up
from tests.support.factories import NOW, make_source
from tests.support.matchmaking import later, make_queue, make_server

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

WEEK = dt.timedelta(days=7)


@pytest.fixture
def queue():
    return make_queue()


def server_of(queue, name, source="test"):
    server = make_server(queue.mode, name=name)
    Server.objects.filter(pk=server.pk).update(source=make_source(source))
    return Server.objects.get(pk=server.pk)


def lobbies(queue, server, count, state=lifecycle.FINISHED, code="", formed_at=NOW):
    Lobby.objects.bulk_create(
        Lobby(queue=queue, server=server, state=state, teams=[], places=[], difference=0, formed_at=formed_at,
              ready_at=formed_at, started_at=formed_at, closed_at=formed_at, ending_code=code)
        for _ in range(count)
    )  # fmt: skip


def aborted(queue, server, count, code="called-off", **more):
    lobbies(queue, server, count, lifecycle.ABORTED, code, **more)


def test_what_counts(queue):
    one, other = server_of(queue, "one"), server_of(queue, "other", "elsewhere")
    lobbies(queue, one, 3)
    lobbies(queue, one, 2, lifecycle.LOST, "no-result")
    lobbies(queue, one, 7, lifecycle.CANCELLED, "never-began")  # it never hosted them
    aborted(queue, one, 1)
    aborted(queue, one, 1, "called-off-by-moderator")  # no act of the server's
    aborted(queue, one, 5, formed_at=later(1) - WEEK - dt.timedelta(seconds=2))
    aborted(queue, other, 1, formed_at=later(1) - WEEK)
    aborted(queue, None, 4)
    shares = find_shares(NOW)
    assert shares == [
        AbortedShare("elsewhere", other.pk, "other", 1, 1),
        AbortedShare("test", one.pk, "one", 1, 7),
    ]


def test_sources_are_the_sum_of_their_servers(queue):
    for number, name in enumerate("abc", 1):
        aborted(queue, server := server_of(queue, name, "x" if name == "b" else "y"), number)
        lobbies(queue, server, 10)
    assert sum_up(find_shares(NOW)) == [AbortedShare("x", None, "", 2, 12), AbortedShare("y", None, "", 4, 24)]


def test_only_the_latest_are_read(queue, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(aborted_shares, "LATEST", 3)
    server = server_of(queue, "one")
    aborted(queue, server, 5, formed_at=later(-60))
    lobbies(queue, server, 2)
    with django_assert_num_queries(1):
        [share] = find_shares(NOW)
    assert (share.aborted, share.matches) == (1, 3)


@pytest.mark.parametrize(
    ("called_off", "of", "high"), [(2, 9, False), (9, 9, False), (1, 10, False), (2, 10, True), (19, 96, False)]
)
def test_from_a_fifth_of_ten_on_moderators_are_told(queue, called_off, of, high):
    server = server_of(queue, "eu1")
    aborted(queue, server, called_off)
    lobbies(queue, server, of - called_off)
    told = [(told.code, told.sentence.partition(f" called off {called_off} of {of} ")[0]) for told in high_shares(NOW)]
    assert told == [("server.aborts", who) for who in ("Server test eu1", "The servers of test") if high]


def test_the_servers_pages_show_it(queue, client):
    client.force_login(User.objects.create_superuser("boss"))
    high, low, new = (server_of(queue, name) for name in ("high", "low", "new"))
    aborted(queue, high, 4)
    lobbies(queue, high, 16)
    aborted(queue, low, 1)
    lobbies(queue, low, 1_999)
    text = client.get("/admin/matchmaking/server/").text
    assert ('<span class="badge badge-warn">4 of 20</span>' in text, "1 of 2,000" in text) == (True, True)
    text = client.get(f"/admin/matchmaking/server/{high.pk}/change/").text
    assert ("4 of 20" in text, "5 of 2,020" in text) == (True, True)
    assert client.get(f"/admin/matchmaking/server/{new.pk}/change/").status_code == 200
