"""Many at once: on PostgreSQL side by side, on a SQLite file one after the other, and always once."""

import random
from collections import Counter

import pytest
from django.db import connection

from matchmaking import lifecycle, servers
from matchmaking.lobbies import accepting, playing
from matchmaking.lobbies.failed_starts import give_up_start
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import Lobby, PartyMember, Queue, Server, Ticket, TicketMember
from matchmaking.operations import invariants
from matchmaking.parties import parties
from matchmaking.queues import queueing
from matchmaking.refusals import Refusal
from matchmaking.tick.tick import tick
from ranking.models import Forfeit
from tests.support.concurrency import at_once
from tests.support.factories import NOW, record
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    start,
    states,
)

pytestmark = pytest.mark.django_db(transaction=True)


def tried(act, *args, **kwargs):
    """What came of it: the code of its refusal, or "done"."""
    try:
        act(*args, **kwargs)
    except Refusal as refusal:
        return refusal.code
    return "done"


def fresh(queue) -> Queue:
    return Queue.objects.select_related("mode").get(pk=queue.pk)


def check_whole():
    """Everybody is on one live ticket at most, in its lobby's teams, and doctor finds nothing."""
    assert list(invariants.violations(later(5))) == []
    going_on = Lobby.objects.filter(state__in=lifecycle.LOBBY.going_on)
    seats = [player for lobby in going_on for player in lobby.players]
    assert len(seats) == len(set(seats))
    matched = TicketMember.objects.filter(live=True, ticket__lobby__in=going_on)
    assert sorted(seats) == sorted(matched.values_list("player", flat=True))


def test_one_ticket_of_twenty_asked_for_at_once():
    queue, player = make_queue(), make_player()
    jobs = [lambda: tried(queueing.queue_player, player, fresh(queue), now=NOW)] * 20
    assert sorted(at_once(jobs)) == ["busy"] * 19 + ["done"]
    assert (Ticket.objects.count(), TicketMember.objects.count()) == (1, 1)


def test_ticks_at_once_match_everybody_once():
    queue = make_queue(size=2)
    for _ in range(41):
        queue_up(queue)
    ticked = at_once([lambda: tick(fresh(queue), now=later(1))] * 8)
    assert sum(len(one.lobbies) for one in ticked if one) == 10
    if connection.vendor == "postgresql":
        assert None in ticked  # one at a time
    assert Ticket.objects.filter(state=lifecycle.WAITING).count() == 1
    check_whole()


def test_cancelling_beside_ticks_drops_that_proposal_only():
    queue, rng = make_queue(), random.Random(3)
    tickets = [queue_up(queue) for _ in range(60)]
    cancelled = rng.sample(tickets, 20)
    jobs = [lambda ticket=ticket: tried(queueing.cancel_ticket, ticket, by=None, now=later(1)) for ticket in cancelled]
    for place in (5, 10, 15, 20):
        jobs.insert(place, lambda: tick(fresh(queue), now=later(1)))
    said = [one for one in at_once(jobs) if isinstance(one, str)]
    assert set(said) <= {"done", "matched"}
    assert Ticket.objects.filter(state=lifecycle.CANCELLED).count() == said.count("done")
    tick(fresh(queue), now=later(2))
    assert Ticket.objects.filter(state=lifecycle.WAITING).count() == said.count("done") % 2
    check_whole()


def test_the_last_accept_against_the_sweep():
    """Whichever comes first holds: ready with all, or cancelled with one who let it pass."""
    queue = make_queue(accept_seconds=20)
    made = [make_lobby(queue, at=1) for _ in range(8)]
    for lobby, [one, _] in made:
        accepting.accept(lobby.pk, one, now=later(20))
    jobs = [
        job
        for lobby, [_, other] in made
        for job in (
            lambda lobby=lobby, other=other: tried(accepting.accept, lobby.pk, other, now=later(21)),
            lambda lobby=lobby: accepting.expire_lobby(lobby.pk, now=later(21.1)),
        )
    ]
    said = at_once(jobs)
    for (lobby, people), accepted, passed in zip(made, said[::2], said[1::2], strict=True):
        [state] = states(lobby)
        assert (accepted, passed, state) in {("done", False, lifecycle.READY), ("over", True, lifecycle.CANCELLED)}
        tickets = [queueing.find_ticket(player) for player in people]
        found = [ticket.state if ticket else None for ticket in tickets]
        assert found == ([lifecycle.MATCHED] * 2 if state == lifecycle.READY else [lifecycle.WAITING, None])
    check_whole()


def test_all_accept_at_once_and_one_makes_it_ready():
    queue = make_queue(size=4)
    server = make_server(queue.mode, capacity=2)
    lobby, people = make_lobby(queue)
    at_once([lambda player=player: accepting.accept(lobby.pk, player, now=later(2)) for player in people])
    assert (states(lobby), Server.objects.get(pk=server.pk).busy) == ([lifecycle.READY], 1)
    check_whole()


def test_two_claims_of_one_server():
    queue = make_queue()
    make_server(queue.mode, capacity=3)
    claimed = at_once([lambda: servers.claim_server(queue, "eu", NOW)] * 16)
    assert (sum(one is not None for one in claimed), Server.objects.get().busy) == (3, 3)


def test_dropping_out_against_the_start_and_the_result():
    """Each lobby has one end, and nobody waits in deadlock."""
    queue, rng = make_queue(), random.Random(5)
    made = [make_lobby(queue) for _ in range(10)]
    for lobby, _ in made:
        accept_all(lobby)

    def play(lobby, one, other):
        return record([one.key], [other.key], lobby=lobby.pk, now=later(5)).state

    jobs = [
        job
        for lobby, [one, other] in made
        for job in rng.sample([
            lambda lobby=lobby, one=one: tried(playing.leave_lobby, lobby.pk, one, now=later(4)),
            lambda lobby=lobby: tried(start, lobby),
            lambda lobby=lobby, one=one, other=other: play(lobby, one, other),
        ], 3)
    ]  # fmt: skip
    said = at_once(jobs)
    ends = states(*(lobby for lobby, _ in made))
    assert ends.count(lifecycle.FINISHED) == said.count("rated")
    assert ends.count(lifecycle.FORFEITED) == said.count("void") == 10 - said.count("rated")
    check_whole()


def test_a_party_of_three_joined_by_six_at_once():
    make_queue(size=3)
    leader, others = make_player(), [make_player() for _ in range(6)]
    invitations = [parties.invite(player, by=leader, now=NOW) for player in others]
    jobs = [
        lambda invitation=invitation, player=player: tried(parties.accept_invitation, invitation, by=player, now=NOW)
        for invitation, player in zip(invitations, others, strict=True)
    ]
    assert sorted(at_once(jobs)) == ["done"] * 2 + ["party-full"] * 4
    assert PartyMember.objects.filter(leads=True).count() == 1


def test_everybody_leaves_a_party_at_once():
    make_queue(size=6)
    people = [make_player() for _ in range(6)]
    for player in people[1:]:
        parties.accept_invitation(parties.invite(player, by=people[0], now=NOW), by=player, now=NOW)
    at_once([lambda player=player: parties.leave_party(player, now=NOW) for player in people])
    assert (PartyMember.objects.count(), parties.find_party(people[0])) == (0, None)


def test_sweeps_beside_each_other_close_each_lobby_once():
    queue = make_queue(accept_seconds=20)
    people = [player for _ in range(6) for player in make_lobby(queue)[1]]
    done = at_once([lambda: sweep(later(30))] * 4)
    assert sum(done) == 6
    assert [queueing.find_ticket(player) for player in people] == [None] * 12
    check_whole()


def make_ready(count, **settings):
    """As many lobbies, each on a server of its own ("a0", "a1" …), and as many idle servers ("b0" …)."""
    queue = make_queue(start_seconds=10, **settings)
    for number in range(count):
        make_server(queue.mode, name=f"a{number}", at=9)
    lobbies = [accept_all(make_lobby(queue)[0]) for _ in range(count)]
    for number in range(count):
        make_server(queue.mode, name=f"b{number}", at=9)
    return lobbies


def failures():
    """How many servers have so many failed starts in a row."""
    return Counter(Server.objects.values_list("failed_starts", flat=True))


def test_sweeps_beside_each_other_move_each_lobby_once():
    lobbies = make_ready(6)
    assert sum(at_once([lambda: sweep(later(12))] * 4)) >= 6
    rows = Lobby.objects.values_list("state", "server__name", "failed_server__name")
    assert {state for state, _, _ in rows} == {lifecycle.READY}
    assert sorted(server for _, server, _ in rows) == [f"b{number}" for number in range(6)]
    assert sorted(failed for _, _, failed in rows) == [f"a{number}" for number in range(6)]
    assert (failures(), len(lobbies)) == ({0: 6, 1: 6}, 6)
    check_whole()


def test_lobbies_that_change_their_servers_crosswise():
    """Each lobby's server fails while the others' become free; nobody waits in deadlock."""
    queue = make_queue(start_seconds=10)
    for number in range(4):
        make_server(queue.mode, name=str(number), capacity=4, at=9)
    lobbies = [accept_all(make_lobby(queue)[0]) for _ in range(8)]
    for step in (12, 22, 32, 92):
        for number in range(4):
            make_server(queue.mode, name=str(number), capacity=4, at=step)
        at_once([lambda step=step: sweep(later(step))] * 4)
        check_whole()
    assert not {*states(*lobbies)} & {lifecycle.READY, lifecycle.LIVE}


def test_the_start_against_giving_it_up():
    """Whichever comes first holds: live where it was, or on its way to another server, whose start it isn't."""
    lobbies = make_ready(8)
    before = {lobby.pk: lobby.server_id for lobby in lobbies}
    said = at_once([
        job
        for lobby in lobbies
        for job in (
            lambda lobby=lobby: tried(
                playing.start_match, lobby.pk, source=lobby.server.source, name=lobby.server.name,
                present=[player.key for player in people_of(lobby)], now=later(12),
            ),
            lambda lobby=lobby: give_up_start(lobby.pk, now=later(12)),
        )
    ])  # fmt: skip
    for lobby, started, given_up in zip(lobbies, said[::2], said[1::2], strict=True):
        lobby.refresh_from_db()
        assert (started, given_up, lobby.state, lobby.server_id) in {
            ("done", False, lifecycle.LIVE, before[lobby.pk]), ("moved", True, lifecycle.ACCEPTING, None)
        }  # fmt: skip
    check_whole()


def test_a_start_with_some_absent_against_giving_it_up():
    lobbies = make_ready(6)
    said = at_once([
        job
        for lobby in lobbies
        for job in (
            lambda lobby=lobby: tried(
                playing.start_match, lobby.pk, source=lobby.server.source, name=lobby.server.name,
                present=[people_of(lobby)[0].key], now=later(12),
            ),
            lambda lobby=lobby: give_up_start(lobby.pk, now=later(12)),
        )
    ])  # fmt: skip
    ends = list(zip(said[::2], said[1::2], states(*lobbies), strict=True))
    assert {*ends} <= {("done", False, lifecycle.FORFEITED), ("moved", True, lifecycle.ACCEPTING)}
    assert Forfeit.objects.count() == said.count("done")
    check_whole()


def test_a_start_with_nobody_sent_twice_counts_once():
    [lobby] = make_ready(1)

    def begin():
        return tried(playing.start_match, lobby.pk, source=lobby.server.source, present=[], now=later(4))

    assert sorted(at_once([begin] * 4)) == ["done"] + ["not-ready"] * 3
    assert (states(lobby), failures()) == ([lifecycle.CANCELLED], {0: 1, 1: 1})
    check_whole()
