"""Starts that never come, or come with nobody: the lobby goes on elsewhere, and the server is to blame, nobody else."""

import pytest

from matchmaking import lifecycle, servers
from matchmaking.lobbies import playing
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Lobby, Server, TicketMember
from matchmaking.operations import invariants
from matchmaking.queues.queueing import find_ticket
from matchmaking.refusals import Refusal
from ranking.models import Change, Forfeit, Incident
from tests.support.factories import make_source, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    form,
    later,
    make_lobby,
    make_queue,
    make_server,
    people_of,
    start,
    states,
)
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


def hear(mode, *names, at, **more):
    for name in names:
        make_server(mode, name=name, at=at, **more)


def make_ready(*names, **settings):
    """A lobby on the first of these servers."""
    queue = make_queue(**{"start_seconds": 10, **settings})
    hear(queue.mode, *names, at=0)
    lobby, people = make_lobby(queue)
    return accept_all(lobby), people


def hosts():
    """Each server's matches, and how many starts have failed in a row there."""
    return {server.name: (server.busy, server.failed_starts) for server in Server.objects.all()}


def where(lobby):
    lobby = Lobby.objects.select_related("server", "failed_server").get(pk=lobby.pk)
    return lobby.state, lobby.server and lobby.server.name, lobby.failed_server and lobby.failed_server.name


def try_start(lobby, name=None, at=15, source="test", present=None):
    """The refusal's case, or the state afterwards."""
    keys = [player.key for player in people_of(lobby)] if present is None else present
    try:
        playing.start_match(lobby.pk, source=make_source(source), name=name, present=keys, now=later(at))
    except Refusal as refusal:
        return refusal.case
    return states(lobby)[0]


def check_nobody_is_blamed():
    assert (Incident.objects.count(), Forfeit.objects.count(), Change.objects.count()) == (0, 0, 0)
    assert [broken for broken in invariants.violations(later(0)) if broken.code != "server.starts"] == []


def test_a_server_that_never_starts_its_matches_gets_one_and_the_healthy_one_all():
    """As reported: one server that answers heartbeats and never starts, and one that idles meanwhile."""
    queue = make_queue(start_seconds=10)
    hear(queue.mode, "broken", at=0)
    hear(queue.mode, "healthy", at=0, capacity=10)
    lobbies = []
    for at in range(1, 70, 20):
        hear(queue.mode, "broken", at=at)
        hear(queue.mode, "healthy", at=at, capacity=10)
        lobby, _ = make_lobby(queue, at=at)
        accept_all(lobby, at=at + 1)
        lobbies.append(lobby)
        if where(lobby)[1] == "broken":
            sweep(later(at + 11))
        assert try_start(lobby, name="healthy", at=at + 12) == lifecycle.LIVE
    assert [where(lobby) for lobby in lobbies] == [
        (lifecycle.LIVE, "healthy", "broken"), *[(lifecycle.LIVE, "healthy", None)] * 3
    ]  # fmt: skip
    assert hosts() == {"broken": (0, 1), "healthy": (4, 0)}
    check_nobody_is_blamed()


def test_the_lobby_stays_accepted_and_goes_to_another_server_at_once():
    lobby, people = make_ready("a", "b")
    accepted = list(TicketMember.objects.values_list("accepted_at"))
    assert (sweep(later(11)), where(lobby)) == (0, (lifecycle.READY, "a", None))
    assert (sweep(later(12)), where(lobby)) == (1, (lifecycle.READY, "b", "a"))
    assert hosts() == {"a": (0, 1), "b": (1, 0)}
    assert list(TicketMember.objects.values_list("accepted_at")) == accepted
    assert {find_ticket(player).state for player in people} == {lifecycle.MATCHED}
    lobby.refresh_from_db()
    assert (lobby.ready_at, lobby.failed_at) == (later(12), later(12))
    page = load_lobby_page(lobby, people[0], later(12))
    assert (page.stakes is not None, str(page.lobby.server)) == (True, "test · b")
    assert try_start(lobby, name="b") == lifecycle.LIVE
    check_nobody_is_blamed()


def test_a_server_that_is_gone_before_the_start_loses_the_lobby_to_another():
    lobby, _ = make_ready("a", "b", start_seconds=180)
    hear(lobby.queue.mode, "b", at=25)
    assert (sweep(later(31)), where(lobby)) == (1, (lifecycle.READY, "b", "a"))


def test_the_lobby_waits_for_a_server_that_is_busy_and_never_returns_to_the_one_that_failed():
    lobby, people = make_ready("a")
    hear(lobby.queue.mode, "a", "b", at=9)
    Server.objects.filter(name="b").update(busy=1)
    sweep(later(12))
    Server.objects.update(failed_starts=0, rests_until=None)  # an operator has ended the rest
    sweep(later(13))
    assert where(lobby) == (lifecycle.ACCEPTING, None, "a")
    lobby.refresh_from_db()
    page = load_lobby_page(lobby, people[0], later(13))
    assert (page.title, page.count_accepted) == ("Everybody is in", False)
    Server.objects.filter(name="b").update(busy=0)
    assert (sweep(later(14)), where(lobby)) == (1, (lifecycle.READY, "b", "a"))


def test_if_no_server_is_free_in_time_all_go_back_to_the_queue():
    lobby, people = make_ready("a")
    hear(lobby.queue.mode, "a", "b", at=9)
    Server.objects.filter(name="b").update(busy=1)
    sweep(later(12))
    assert (sweep(later(21)), where(lobby)) == (0, (lifecycle.ACCEPTING, None, "a"))
    assert (sweep(later(22)), where(lobby)) == (1, (lifecycle.CANCELLED, None, "a"))
    lobby.refresh_from_db()
    assert (lobby.ending_code, states(*map(find_ticket, people))) == ("no-server", [lifecycle.WAITING] * 2)
    assert find_ticket(people[0]).waited_at(later(22)) == 1.0
    Server.objects.update(busy=0)
    check_nobody_is_blamed()


@pytest.mark.parametrize("others", ["none", "resting", "elsewhere", "gone"])
def test_without_another_server_all_go_back_to_the_queue_at_once(others):
    lobby, people = make_ready("a", servers="required")
    if others != "none":
        hear(lobby.queue.mode, "b", at=-60 if others == "gone" else 9, region="us" if others == "elsewhere" else "eu")
    if others == "resting":
        Server.objects.filter(name="b").update(failed_starts=1, rests_until=later(13))
    Lobby.objects.update(region="eu")
    assert (sweep(later(12)), where(lobby)) == (1, (lifecycle.CANCELLED, "a", None))
    lobby.refresh_from_db()
    assert (lobby.ending_code, hosts()["a"]) == ("never-began", (0, 1))
    assert states(*map(find_ticket, people)) == [lifecycle.WAITING] * 2


def test_the_second_failure_is_the_last():
    lobby, people = make_ready("a", "b", "c")
    hear(lobby.queue.mode, "a", "b", "c", at=12)
    sweep(later(12))
    hear(lobby.queue.mode, "a", "b", "c", at=22)
    assert (sweep(later(22)), where(lobby)) == (1, (lifecycle.CANCELLED, "b", "a"))
    assert hosts() == {"a": (0, 1), "b": (0, 1), "c": (0, 0)}
    [again] = form(lobby.queue, at=23)
    hear(lobby.queue.mode, "a", "b", "c", at=24)
    assert where(accept_all(again, at=24)) == (lifecycle.READY, "c", None)
    assert sorted(again.players) == sorted(player.pk for player in people)


def test_those_who_went_back_avoid_the_server_for_half_an_hour_after_its_rest():
    lobby, _ = make_ready("a")
    sweep(later(12))
    queue = lobby.queue
    hear(queue.mode, "a", "b", at=71)
    assert servers.claim_server(queue, "eu", later(71)).name == "b"
    assert servers.claim_server(queue, "eu", later(71)) is None
    hear(queue.mode, "a", at=72)
    assert servers.claim_server(queue, "eu", later(72)).name == "a"  # if no other one is free


def test_a_queue_without_servers_has_none_to_blame():
    queue = make_queue(servers="none", start_seconds=10)
    make_server(queue.mode)
    lobby, _ = make_lobby(queue)
    accept_all(lobby)
    assert (sweep(later(12)), where(lobby)) == (1, (lifecycle.CANCELLED, None, None))
    assert hosts() == {"": (0, 0)}


def test_who_drops_out_while_another_server_is_looked_for_forfeits_as_before():
    lobby, [one, other] = make_ready("a")
    hear(lobby.queue.mode, "a", "b", at=9)
    Server.objects.filter(name="b").update(busy=1)
    sweep(later(12))
    playing.leave_lobby(lobby.pk, one, now=later(13))
    assert states(lobby, find_ticket(other)) == [lifecycle.FORFEITED, lifecycle.WAITING]


CALLERS = (
    ({"name": "a"}, "moved"),
    ({"name": "b"}, lifecycle.LIVE),
    ({}, "name"),
    ({"name": "c"}, "not-yours:server"),
    ({"name": "b", "source": "other"}, "not-yours:server"),
    ({"source": "other"}, "not-yours:server"),
    ({"name": "a", "present": []}, "moved"),
)


def test_after_a_move_only_the_new_server_begins():
    lobby, _ = make_ready("a", "b")
    sweep(later(12))
    came = []
    for caller, _ in CALLERS:
        with rolled_back():
            came.append((caller, try_start(lobby, **caller), hosts()))
    assert came == [(caller, outcome, {"a": (0, 1), "b": (1, 0)}) for caller, outcome in CALLERS]


@pytest.mark.parametrize(("name", "came"), [(None, "moved"), ("a", "moved"), ("b", "not-ready")])
def test_a_late_start_while_another_server_is_looked_for(name, came):
    lobby, _ = make_ready("a")
    hear(lobby.queue.mode, "a", "b", at=9)
    Server.objects.filter(name="b").update(busy=1)
    sweep(later(12))
    assert try_start(lobby, name=name) == came


def test_servers_with_keys_of_their_own_need_no_name():
    queue = make_queue(start_seconds=10)
    for source, at in (("one", 0), ("two", 0)):
        servers.register_server(
            make_source(source), region="eu", address="x:1", capacity=1, modes=[queue.mode], now=later(at)
        )
    lobby, _ = make_lobby(queue)
    accept_all(lobby)
    sweep(later(12))
    assert [try_start(lobby, source=source) for source in ("one", "three", "two")] == [
        "moved", "not-yours:server", lifecycle.LIVE
    ]  # fmt: skip


def test_before_a_move_a_name_has_to_be_right_if_it_is_said():
    lobby, _ = make_ready("a")
    assert [try_start(lobby, name=name, at=3) for name in ("b", "a")] == ["not-yours:server", lifecycle.LIVE]


def test_a_start_with_nobody_is_nobodys_fault_but_the_servers():
    lobby, people = make_ready("a")
    assert try_start(lobby, present=[], at=9) == lifecycle.CANCELLED
    lobby.refresh_from_db()
    assert (lobby.closed_at, lobby.ending_code) == (later(9), "nobody-came")
    assert hosts() == {"a": (0, 1)}
    assert [find_ticket(player).state for player in people] == [lifecycle.WAITING] * 2
    assert [find_ticket(player).waited_at(later(10)) for player in people] == [2.0] * 2
    assert try_start(lobby, present=[]) == "not-ready:cancelled"
    assert hosts() == {"a": (0, 1)}
    check_nobody_is_blamed()


def test_a_start_with_nobody_in_a_queue_without_servers_is_cancelled_too():
    lobby, people = make_lobby(make_queue(servers="none"))
    accept_all(lobby)
    assert try_start(lobby, present=[], at=9) == lifecycle.CANCELLED
    assert [find_ticket(player).state for player in people] == [lifecycle.WAITING] * 2
    check_nobody_is_blamed()


def test_a_start_with_somebody_is_a_forfeit_of_the_absent_and_no_failure():
    lobby, people = make_ready("a")
    assert try_start(lobby, present=[people[0].key], at=9) == lifecycle.FORFEITED
    assert (hosts(), Incident.objects.count()) == ({"a": (0, 0)}, 1)


def test_a_start_with_somebody_ends_its_servers_failures():
    _, people = make_ready("a")
    Server.objects.update(failed_starts=4, rests_until=later(1))
    assert try_start(Lobby.objects.get(), present=[people[0].key], at=9) == lifecycle.FORFEITED
    assert Server.objects.get().failed_starts == 0


@pytest.mark.parametrize("begun", [True, False])
def test_a_match_that_was_played_ends_its_servers_failures(begun):
    lobby, [one, other] = make_ready("a")
    Server.objects.update(failed_starts=3, rests_until=later(1))
    if begun:
        start(lobby)
        assert hosts() == {"a": (1, 0)}
    record([one.key], [other.key], lobby=lobby.pk)
    assert (hosts(), Server.objects.get().rests_until) == ({"a": (0, 0)}, None)


def test_a_lost_match_says_nothing_of_starts():
    lobby, _ = make_ready("a", longest_match=60)
    start(lobby)
    Server.objects.update(failed_starts=1, rests_until=later(10))
    sweep(later(100))
    assert (states(lobby), hosts()) == ([lifecycle.LOST], {"a": (0, 1)})
