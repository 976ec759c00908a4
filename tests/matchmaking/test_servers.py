"""Game servers: registered, heard from, claimed; as many lobbies as they have places."""

import pytest

from matchmaking import lifecycle, servers
from matchmaking.models import Lobby, Server
from matchmaking.queues.waits import find_server_problem
from matchmaking.refusals import Refusal
from tests.support.factories import make_source
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    form,
    later,
    make_lobby,
    make_queue,
    make_server,
    queue_up,
    start,
    states,
)

pytestmark = pytest.mark.django_db


def test_a_heartbeat_registers_and_says_it_again():
    mode = make_queue().mode
    first = make_server(mode, name="one", at=0)
    again = make_server(mode, name="one", at=10, address="10.0.0.9:7000", capacity=4, state="warm")
    other = make_server(mode, name="two", at=10)
    assert (again.pk, again.registered_at, again.heard_at) == (first.pk, later(0), later(10))
    assert (again.address, again.capacity, again.state, other.pk == first.pk) == ("10.0.0.9:7000", 4, "warm", False)


@pytest.mark.parametrize(
    ("wrong", "code"), [({"address": " "}, "address"), ({"capacity": 0}, "capacity"), ({"modes": []}, "modes")]
)
def test_a_server_says_where_it_is_and_what_it_hosts(wrong, code):
    with pytest.raises(Refusal) as caught:
        make_server(make_queue().mode, **wrong)
    assert (caught.value.code, Server.objects.count()) == (code, 0)


def test_what_a_server_is_to_host_is_told_until_it_is_over():
    queue = make_queue()
    server = make_server(queue.mode)
    lobby, _ = make_lobby(queue)
    assert list(servers.lobbies_of(server)) == []
    accept_all(lobby)
    assert list(servers.lobbies_of(server)) == [lobby]
    assert list(servers.lobbies_of(Server.objects.get(pk=server.pk))) == [start(lobby)]


@pytest.mark.parametrize(
    ("at", "region", "capacity", "claims"),
    [(30, "eu", 1, 1), (30, "eu", 2, 2), (31, "eu", 2, 0), (30, "us", 2, 0), (30, "", 2, 2)],
)
def test_a_place_is_claimed_where_one_is_free_and_there(at, region, capacity, claims):
    queue = make_queue()
    server = make_server(queue.mode, capacity=capacity)
    found = [servers.claim_server(queue, region, later(at)) for _ in range(3)]
    assert [one.pk for one in found if one] == [server.pk] * claims
    server.refresh_from_db()
    assert server.busy == claims


def test_the_least_busy_is_claimed_first_and_those_of_the_region_before_those_of_any():
    queue = make_queue()
    make_server(queue.mode, name="any", region="", capacity=9)
    for name in ("a", "b"):
        make_server(queue.mode, name=name, capacity=2)
    assert [servers.claim_server(queue, "eu", later(0)).name for _ in range(5)] == ["a", "b", "a", "b", "any"]


def test_places_are_counted_by_region_less_those_of_lobbies_that_accept():
    queue, bare = make_queue(), make_queue("bare")
    assert servers.count_idle(bare, later(0)) is None
    make_server(queue.mode, name="a", capacity=3)
    make_server(queue.mode, name="b", region="us", capacity=1)
    make_server(queue.mode, name="gone", capacity=5, at=-60)
    assert servers.count_idle(queue, later(0)) == {"eu": 3, "us": 1}
    queue_up(queue, pings={"eu": 9})
    queue_up(queue, pings={"eu": 9})
    [lobby] = form(queue)
    assert servers.count_idle(queue, later(1)) == {"eu": 2, "us": 1}
    accept_all(lobby)
    assert servers.count_idle(queue, later(2)) == {"eu": 2, "us": 1}


@pytest.mark.parametrize(
    ("need", "memory", "idle"),
    [
        ("auto", 600, {31: {"eu": 0}, 600: {"eu": 0}, 601: None}),
        ("auto", 0, {30: {"eu": 1}, 31: None}),
        ("required", 600, {30: {"eu": 1}, 600: {"eu": 0}, 601: {}, 86_400: {}}),
        ("none", 600, {0: None, 31: None}),
    ],
)
def test_how_long_a_queue_waits_for_servers_that_fell_silent(need, memory, idle):
    queue = make_queue(servers=need, server_memory=memory)
    make_server(queue.mode)
    assert {at: servers.count_idle(queue, later(at)) for at in idle} == idle


@pytest.mark.parametrize(("need", "idle", "formed"), [("auto", None, 1), ("required", {}, 0)])
def test_a_server_that_signs_off_is_gone_at_once(need, idle, formed):
    queue = make_queue(servers=need)
    server = make_server(queue.mode)
    assert servers.sign_off(server.source, name="nobody", now=later(1)) is None
    assert servers.sign_off(server.source, now=later(1)) == server
    assert servers.count_idle(queue, later(1)) == idle
    for _ in range(2):
        queue_up(queue)
    assert len(form(queue)) == formed
    make_server(queue.mode, at=2)
    assert servers.needs_server(queue, later(2))


def test_a_queue_that_needs_no_server_claims_none():
    queue = make_queue(servers="none")
    server = make_server(queue.mode)
    lobby, _ = make_lobby(queue)
    accept_all(lobby)
    assert (lobby.state, lobby.server) == ("ready", None)
    assert list(servers.lobbies_of(server)) == []


@pytest.mark.parametrize(("places", "formed"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_no_more_lobbies_than_idle_servers_the_oldest_first(places, formed):
    queue = make_queue()
    server = make_server(queue.mode, capacity=max(1, places))
    Server.objects.update(busy=max(1, places) - places)
    tickets = [queue_up(queue, at=number / 10) for number in range(6)]
    assert len(form(queue)) == formed
    assert states(*tickets) == [lifecycle.MATCHED] * 2 * formed + [lifecycle.WAITING] * (6 - 2 * formed)
    assert server.region == "eu"


def test_a_lobby_goes_where_a_server_is_idle():
    queue = make_queue()
    make_server(queue.mode, name="a", region="us", capacity=1)
    make_server(queue.mode, name="b", region="ap", capacity=2)
    for _ in range(8):
        queue_up(queue, pings={"eu": 10, "us": 50, "ap": 90})
    assert sorted(lobby.region for lobby in form(queue)) == ["ap", "ap", "us"]


def test_nobody_is_told_that_servers_are_full_while_one_is_free():
    """A lobby of a region that has lost its servers takes nothing from the others."""
    queue = make_queue()
    for region in ("eu", "us"):
        make_server(queue.mode, name=region, region=region)
    make_lobby(queue)
    Server.objects.filter(region=Lobby.objects.get().region).update(busy=1)
    assert sorted(servers.count_idle(queue, later(1)).values()) == [-1, 0, 1]
    assert find_server_problem(queue, later(1)) == ""


def test_who_has_no_good_ping_to_any_server_waits():
    queue = make_queue()
    make_server(queue.mode, region="us")
    for _ in range(2):
        queue_up(queue, pings={"eu": 10})
    assert form(queue) == []


def test_counting_again_mends_what_went_wrong():
    queue = make_queue()
    server = make_server(queue.mode, capacity=5)
    lobby, _ = make_lobby(queue)
    accept_all(lobby)
    Server.objects.update(busy=4)
    assert (servers.recount(server), Server.objects.get().busy) == (1, 1)


def test_several_servers_of_one_key_have_names():
    mode = make_queue().mode
    for source in ("eu1", "eu2"):
        servers.register_server(make_source(source), region="eu", address="x:1", capacity=1, modes=[mode], now=later(0))
    assert sorted(str(server) for server in Server.objects.all()) == ["eu1", "eu2"]
