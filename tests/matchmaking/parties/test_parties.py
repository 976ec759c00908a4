"""Parties: invited, joined, left, led."""

import pytest

from leaderboards.models import Blocking
from matchmaking import lifecycle
from matchmaking.models import Invitation, Party, PartyMember
from matchmaking.parties import parties
from matchmaking.queues import queueing
from matchmaking.refusals import Refusal
from ranking.models import Ban
from tests.support.factories import NOW
from tests.support.matchmaking import endings, later, make_player, make_queue, queue_up, states

pytestmark = pytest.mark.django_db


@pytest.fixture
def queue():
    return make_queue(size=3)


def refused(code, act, *args, **kwargs) -> str:
    with pytest.raises(Refusal) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


def join(leader, *others):
    for number, player in enumerate(others):
        parties.accept_invitation(parties.invite(player, by=leader, now=NOW), by=player, now=later(number + 1))
    return parties.find_party(leader)


def roll(party):
    return [(member.player.key, member.leads) for member in parties.members_of(party)]


def test_who_invites_leads_a_party(queue):
    a, b = make_player("a"), make_player("b")
    invitation = parties.invite(b, by=a, now=NOW)
    assert [(found.by, found.party) for found in parties.invitations_to(b)] == [(a, parties.find_party(a))]
    party = parties.accept_invitation(invitation, by=b, now=later(1))
    assert (roll(party), Invitation.objects.count()) == ([("a", True), ("b", False)], 0)


def test_leadership_passes_on_to_who_was_there_longest_and_the_last_one_ends_it(queue):
    a, b, c = (make_player(name) for name in "abc")
    party = join(a, b, c)
    parties.leave_party(a, now=NOW)
    assert roll(party) == [("b", True), ("c", False)]
    parties.pass_leadership(c, by=b)
    assert roll(party) == [("b", False), ("c", True)]
    assert refused("not-leader", parties.remove_member, c, by=b, now=NOW)
    parties.remove_member(b, by=c, now=NOW)
    parties.leave_party(c, now=NOW)
    assert (Party.objects.count(), PartyMember.objects.count(), parties.find_party(a)) == (0, 0, None)


def test_a_party_is_as_large_as_a_team(queue):
    a, *others = (make_player(name) for name in "abcd")
    asked = [parties.invite(player, by=a, now=NOW) for player in others]
    for invitation, player in zip(asked[:2], others, strict=False):
        parties.accept_invitation(invitation, by=player, now=NOW)
    said = refused("party-full", parties.accept_invitation, asked[2], by=others[2], now=NOW)
    assert "3 players" in said
    assert refused("party-full", parties.invite, make_player(), by=a, now=NOW) == said


def test_where_everybody_plays_alone_there_are_no_parties():
    make_queue()
    assert refused("no-parties", parties.invite, make_player(), by=make_player(), now=NOW)
    assert Party.objects.count() == 0


def test_an_invitation_is_for_one_who_may_come(queue):
    a, b, c = (make_player(name) for name in "abc")
    invitation = parties.invite(b, by=a, now=NOW)
    assert refused("not-yours", parties.accept_invitation, invitation, by=c, now=NOW)
    assert refused("not-yours", parties.decline_invitation, invitation, by=c)
    assert refused("yourself", parties.invite, a, by=a, now=NOW)
    ticket = queue_up(queue, b)
    assert refused("busy", parties.accept_invitation, invitation, by=b, now=NOW)
    queueing.cancel_ticket(ticket, by=b, now=NOW)
    barred = Ban.objects.create(player=b, scope="queue", reason="Cheating", starts_at=NOW)
    assert refused("barred", parties.accept_invitation, invitation, by=b, now=later(1)).startswith(
        "You can’t join a party now. You are banned from queues for good"
    )
    Ban.objects.filter(pk=barred.pk).update(lifted_at=NOW, lift_reason="x")
    parties.decline_invitation(invitation, by=a)
    assert refused("taken-back", parties.accept_invitation, invitation, by=b, now=NOW)


def test_one_party_a_player(queue):
    a, b, c = (make_player(name) for name in "abc")
    invitation = parties.invite(b, by=c, now=NOW)
    join(a, b)
    assert refused("in-party", parties.accept_invitation, invitation, by=b, now=NOW)
    assert refused("already-in", parties.invite, b, by=a, now=NOW)


@pytest.mark.parametrize("blocker", [0, 1])
def test_who_blocks_or_is_blocked_isnt_invited(queue, blocker):
    people = [make_player("a"), make_player("b")]
    Blocking.objects.create(blocker=people[blocker], blocked=people[1 - blocker], since=NOW)
    assert refused("blocked", parties.invite, people[1], by=people[0], now=NOW) == "You can’t invite b."


def test_who_leaves_takes_the_waiting_ticket_along(queue):
    a, b, c = (make_player(name) for name in "abc")
    join(a, b)
    ticket = queueing.queue_party(a, queue, now=NOW)
    invitation = parties.invite(c, by=b, now=NOW)
    assert refused("queued", parties.accept_invitation, invitation, by=c, now=NOW)
    parties.leave_party(b, now=later(2))
    assert states(ticket) == [lifecycle.CANCELLED]
    assert endings(ticket) == [("left-party", {"player": "b"})]
    assert parties.accept_invitation(invitation, by=c, now=later(3)) == parties.find_party(a)
