"""Accepting: seen, accepted, declined, let pass; who missed it, and who waits again with their time."""

import pytest

from matchmaking import lifecycle
from matchmaking.lobbies import accepting
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.lobbies.sweep import sweep
from matchmaking.models import TicketMember
from matchmaking.queues.queueing import cancel_ticket, find_ticket
from matchmaking.refusals import Refusal
from ranking.models import Ban, Incident
from ranking.moderation.eligibility import MayNotQueue, find_restrictions
from tests.support.matchmaking import (  # fmt: skip
    accept_all,
    endings,
    form,
    later,
    make_lobby,
    make_player,
    make_queue,
    make_server,
    people_of,
    queue_up,
    states,
)

pytestmark = pytest.mark.django_db


def missed():
    return sorted(Incident.objects.values_list("player__key", "kind", "occasion", "happened_at"))


def test_accepted_by_all_it_is_ready():
    lobby, [one, other] = make_lobby(make_queue())
    assert accepting.accept(lobby.pk, one, now=later(2)).state == lifecycle.ACCEPTING
    assert accepting.accept(lobby.pk, one, now=later(3)).state == lifecycle.ACCEPTING  # again does nothing
    assert accepting.accept(lobby.pk, other, now=later(4)).state == lifecycle.READY
    lobby.refresh_from_db()
    assert (lobby.state, lobby.ready_at, lobby.server) == (lifecycle.READY, later(4), None)
    accepted = TicketMember.objects.order_by("accepted_at").values_list("player", "seen_at", "accepted_at")
    assert list(accepted) == [(one.pk, later(2), later(2)), (other.pk, later(4), later(4))]


def test_who_declines_missed_the_accept_and_the_others_wait_with_their_time():
    queue = make_queue(size=2)
    lobby, [a, b, c, d] = make_lobby(queue, at=11)
    mine, theirs = find_ticket(a), find_ticket(b)
    accepting.accept(lobby.pk, b, now=later(12))
    accepting.decline(lobby.pk, a, now=later(15))
    assert states(lobby, mine) == [lifecycle.CANCELLED, lifecycle.REFUSED]
    assert (lobby.ending_code, mine.ending_code) == ("somebody-declined", "you-declined")
    assert (mine.ended_at, lobby.closed_at) == (later(15), later(15))
    assert states(*map(find_ticket, (b, c, d))) == [lifecycle.WAITING] * 3
    theirs.refresh_from_db()
    member = theirs.members.get()
    assert (theirs.lobby, theirs.team, theirs.matched_at, member.seen_at, member.accepted_at) == (None,) * 5
    assert (theirs.queued_at, theirs.waiting_since, theirs.waited) == (later(10), later(15), 1.0)
    assert theirs.waited_at(later(20)) == 6.0  # four seconds in the lobby don't count
    assert missed() == [(a.key, "missed", f"lobby:{queue.mode_id}:{lobby.pk}", later(15))]
    assert queue_up(queue, a, at=16).state == lifecycle.WAITING  # the first of a day costs no time


@pytest.mark.parametrize("seen", [True, False])
def test_letting_it_pass_is_missed_where_the_prompt_was_seen(seen):
    queue = make_queue(accept_seconds=20)
    lobby, [a, b] = make_lobby(queue, at=1)
    mine = find_ticket(a)
    accepting.accept(lobby.pk, b, now=later(3))
    if seen:
        accepting.note_seen(lobby.pk, a, now=later(4))
        accepting.note_seen(lobby.pk, a, now=later(5))
        assert TicketMember.objects.get(player=a).seen_at == later(4)
    assert sweep(later(21)) == 0  # the twentieth second counts
    assert sweep(later(21.5)) == 1
    assert states(lobby, mine, find_ticket(b)) == [lifecycle.CANCELLED, lifecycle.EXPIRED, lifecycle.WAITING]
    assert mine.ending_code == "you-passed"
    assert missed() == ([(a.key, "missed", f"lobby:{queue.mode_id}:{lobby.pk}", later(21))] if seen else [])


def test_missed_accepts_have_their_own_light_ladder():
    queue, rude = make_queue(), make_player("rude")
    waits = []
    for number in range(4):
        at = 4_000 * number
        queue_up(queue, rude, at=at)
        queue_up(queue, at=at)
        [lobby] = form(queue, at + 1)
        accepting.decline(lobby.pk, rude, now=later(at + 2))
        moments = [later(at + 2 + 60 * minutes) for minutes in (0, 2.9, 3, 10, 30)]
        waits.append([not find_restrictions([rude.pk], moment) for moment in moments])
        for ticket in queue.tickets.filter(state=lifecycle.WAITING):
            ticket.state, ticket.ended_at = lifecycle.CANCELLED, later(at)
            ticket.save()
            ticket.members.update(live=False)
    none, three, ten, thirty = [True] * 5, [False] * 2 + [True] * 3, [False] * 3 + [True] * 2, [False] * 4 + [True]
    assert waits == [none, three, ten, thirty]


def test_one_of_a_party_takes_the_party_out_and_alone_is_blamed():
    queue = make_queue(size=2)
    from matchmaking.queues import queueing
    from tests.support.parties import party_of

    leader, friend = make_player("leader"), make_player("friend")
    party_of(leader, friend)
    ticket = queueing.queue_party(leader, queue, now=later(0))
    for _ in range(2):
        queue_up(queue)
    [lobby] = form(queue)
    accepting.decline(lobby.pk, friend, now=later(2))
    assert states(ticket) == [lifecycle.REFUSED]
    assert endings(ticket) == [("declined", {"player": "friend"})]
    assert [row[0] for row in missed()] == ["friend"]
    assert queue.tickets.filter(state=lifecycle.WAITING).count() == 2


def test_strangers_and_latecomers_are_refused():
    lobby, [one, other] = make_lobby(make_queue(accept_seconds=20))

    def said(act, player, at):
        with pytest.raises(Refusal) as caught:
            act(lobby.pk, player, now=later(at))
        return caught.value.case

    for act in (accepting.note_seen, accepting.accept, accepting.decline):
        assert said(act, make_player(), 2) == "not-yours:lobby"
    assert said(accepting.accept, one, 22) == "too-late"
    accept_all(lobby, at=21)
    assert said(accepting.decline, one, 21) == "accepted"
    lobby.state, lobby.closed_at = lifecycle.CANCELLED, later(30)
    lobby.save()
    assert said(accepting.accept, other, 31) == "over:cancelled"


def test_who_is_banned_meanwhile_cant_accept_and_the_others_wait_again():
    queue = make_queue()
    lobby, [one, other] = make_lobby(queue)
    mine = find_ticket(one)
    Ban.objects.create(player=one, scope="queue", reason="Cheating", starts_at=later(1))
    with pytest.raises(MayNotQueue):
        accepting.accept(lobby.pk, one, now=later(2))
    assert states(lobby, mine, find_ticket(other)) == [lifecycle.CANCELLED, lifecycle.REFUSED, lifecycle.WAITING]
    assert mine.ending.startswith("You can’t queue for Duel now. You are banned from queues for good: Cheating.")
    assert missed() == []


def test_without_an_accept_step_it_is_ready_at_the_next_sweep():
    queue = make_queue(accept_seconds=0)
    make_server(queue.mode)
    lobby, _ = make_lobby(queue)
    assert (lobby.state, lobby.accept_until) == (lifecycle.ACCEPTING, None)
    assert sweep(later(2)) == 1
    assert states(lobby) == [lifecycle.READY]


def test_where_no_server_comes_free_all_wait_again():
    queue = make_queue(accept_seconds=20, start_seconds=60)
    server = make_server(queue.mode)
    lobby, people = make_lobby(queue)
    type(server).objects.update(busy=1)
    assert accept_all(lobby).state == lifecycle.ACCEPTING
    make_server(queue.mode, at=60)
    assert sweep(later(60)) == 0
    assert sweep(later(81)) == 1
    assert (states(lobby), lobby.ending_code) == ([lifecycle.CANCELLED], "no-server")
    assert states(*map(find_ticket, people)) == [lifecycle.WAITING] * 2
    assert missed() == []


def test_a_server_that_comes_free_is_claimed_by_the_sweep():
    queue = make_queue()
    server = make_server(queue.mode)
    lobby, _ = make_lobby(queue)
    type(server).objects.update(busy=1)
    accept_all(lobby)
    type(server).objects.update(busy=0)
    assert sweep(later(5)) == 1
    assert (states(lobby), lobby.server) == ([lifecycle.READY], server)


def test_places_are_by_display_rating_equals_sharing_one():
    queue = make_queue(size=2)
    lobby, _ = make_lobby(queue)
    assert lobby.places == [[1, 1], [1, 1]]
    assert len(people_of(lobby)) == 4


def test_only_the_ticket_of_the_lobby_is_back_in_its_old_place():
    """A ticket made after the lobby fell through, here or in another queue, is a new one."""
    queue, elsewhere = make_queue(), make_queue("elsewhere")
    lobby, [one, other] = make_lobby(queue)
    accepting.decline(lobby.pk, one, now=later(2))

    def requeued(player):
        return load_lobby_page(accepting.get_lobby(lobby.pk), player, later(400)).requeued

    assert (requeued(one), requeued(other)) == (False, True)
    queue_up(elsewhere, one, at=300)
    assert requeued(one) is False
    cancel_ticket(find_ticket(one), by=one, now=later(301))
    queue_up(queue, one, at=302)
    assert requeued(one) is False
