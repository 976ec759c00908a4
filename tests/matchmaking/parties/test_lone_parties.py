"""A party of one without invitations ends by itself, so that its last member can queue alone."""

import datetime as dt
from functools import partial

import pytest
from django.db import connection

from matchmaking import lifecycle
from matchmaking.models import Invitation, Party, PartyMember
from matchmaking.operations import retention
from matchmaking.parties import parties
from matchmaking.queues import queueing
from ranking.moderation.merges import merge_players
from ranking.players.anonymising import anonymise_player
from tests.support import api
from tests.support.concurrency import at_once
from tests.support.factories import NOW
from tests.support.matchmaking import (
    endings,
    later,
    make_player,
    make_queue,
    queue_up,
    states,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue():
    return make_queue(size=3)


@pytest.fixture
def pair(queue):
    """A leader and their only companion; nobody else is invited."""
    a, b = make_player("a"), make_player("b")
    parties.accept_invitation(parties.invite(b, by=a, now=NOW), by=b, now=NOW)
    return a, b


def invited_alone():
    """A leader who is alone, and whom they have invited."""
    a, b = make_player("a"), make_player("b")
    return a, b, parties.invite(b, by=a, now=NOW)


def left() -> tuple[int, int, int]:
    return Party.objects.count(), PartyMember.objects.count(), Invitation.objects.count()


ENDS = {
    "the other leaves": lambda a, b: parties.leave_party(b, now=NOW),
    "the leader leaves": lambda a, b: parties.leave_party(a, now=NOW),
    "the leader sends the other away": lambda a, b: parties.remove_member(b, by=a, now=NOW),
    "the other leaves for good": lambda a, b: anonymise_player(b, now=NOW),
    "the other is merged": lambda a, b: merge_players(make_player(), b, by=None, reason="x", now=NOW),
}


@pytest.mark.parametrize("end", ENDS)
def test_it_ends_with_the_last_but_one(pair, queue, end):
    a, b = pair
    ENDS[end](a, b)
    assert left() == (0, 0, 0)
    last = b if end == "the leader leaves" else a
    assert queue_up(queue, last).party is None


INVITATION_ENDS = {
    "it is declined": lambda a, b, invitation: parties.decline_invitation(invitation, by=b),
    "it is taken back": lambda a, b, invitation: parties.decline_invitation(invitation, by=a),
    "it runs out": lambda a, b, invitation: retention.drop_old(NOW + retention.INVITED + dt.timedelta(seconds=1)),
    "the invited player leaves for good": lambda a, b, invitation: anonymise_player(b, now=NOW),
    "the invited player is merged": lambda a, b, invitation: merge_players(
        make_player(), b, by=None, reason="x", now=NOW
    ),
}


@pytest.mark.parametrize("end", INVITATION_ENDS)
def test_it_ends_with_the_last_invitation(queue, end):
    a, b, invitation = invited_alone()
    INVITATION_ENDS[end](a, b, invitation)
    assert left() == (0, 0, 0)
    assert queue_up(queue, a).party is None


@pytest.mark.parametrize("end", INVITATION_ENDS)
def test_it_goes_on_while_somebody_else_is_invited(queue, end):
    a, b, invitation = invited_alone()
    parties.invite(make_player("c"), by=a, now=later(5))
    INVITATION_ENDS[end](a, b, invitation)
    assert (left(), parties.find_party(a) is not None) == ((1, 1, 1), True)


def test_who_leaves_two_behind_ends_nothing(pair):
    a, _ = pair
    c = make_player("c")
    parties.accept_invitation(parties.invite(c, by=a, now=NOW), by=c, now=NOW)
    parties.leave_party(a, now=NOW)
    assert left() == (1, 2, 0)


def test_those_that_were_alone_before_end_with_the_next_clean_up(queue):
    a = make_player("a")
    PartyMember.objects.create(party=Party.objects.create(created_at=NOW), player=a, leads=True, joined_at=NOW)
    retention.drop_old(later(1))
    assert left() == (0, 0, 0)


def test_a_waiting_ticket_is_cancelled_as_before(pair, queue):
    a, b = pair
    ticket = queueing.queue_party(a, queue, now=NOW)
    parties.leave_party(b, now=later(1))
    assert (states(ticket), left()) == ([lifecycle.CANCELLED], (0, 0, 0))
    assert endings(ticket) == [("left-party", {"player": "b"})]


def test_the_ticket_of_one_goes_on_without_the_party(queue):
    a, b, invitation = invited_alone()
    ticket = queueing.queue_party(a, queue, now=NOW)
    parties.decline_invitation(invitation, by=b)
    ticket.refresh_from_db()
    assert (ticket.state, ticket.party, left()) == (lifecycle.WAITING, None, (0, 0, 0))


def test_a_player_alone_in_their_party_is_told_so_no_more(pair):
    a, b = pair
    token = api.make_token(a)
    api.call("POST", "parties/me/leave/", key=api.make_token(b))
    assert api.get("parties/me/", key=token).body == {"party": None, "invitations": []}
    assert api.call("POST", "tickets/", {"mode": "duel"}, key=token).status == 201


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's writers take turns anyway")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", range(4))
def test_all_leave_at_once(number):
    """Whoever comes second finds the party ended, and that is no error."""
    make_queue(size=3)
    people = [make_player(f"p{number}-{each}") for each in range(3)]
    for other in people[1:]:
        parties.accept_invitation(parties.invite(other, by=people[0], now=NOW), by=other, now=NOW)
    at_once([partial(parties.leave_party, player, now=NOW) for player in people[number % 2 :]])
    assert left() == (0, 0, 0)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite's writers take turns anyway")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", range(4))
def test_an_invitation_beside_the_last_leave(number):
    """The party goes on with the invitation, or a new one was made for it."""
    make_queue(size=3)
    a, b, c = (make_player(f"{name}{number}") for name in "abc")
    parties.accept_invitation(parties.invite(b, by=a, now=NOW), by=b, now=NOW)
    at_once([lambda: parties.leave_party(b, now=NOW), lambda: parties.invite(c, by=a, now=NOW)])
    assert left() == (1, 1, 1)
    assert Invitation.objects.get().party == parties.find_party(a)
