"""Parties, that is, players who queue together: invite, join, leave, pass leadership on. From the matchmaking rules.

Every member may invite. If the leader leaves, the member who has been there longest leads. A party of one without
invitations ends, so that its last member can queue alone. Every change locks the party's row, so that changes come one
after the other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.models import Blocking
from matchmaking import lifecycle
from matchmaking.models import Invitation, Party, PartyMember, Queue, Ticket
from matchmaking.queues.queueing import check_pings
from matchmaking.refusals import Refusal
from matchmaking.transitions import Ending, end_tickets
from ranking.models import Player
from ranking.moderation.eligibility import find_restrictions

MOST_INVITATIONS = 20  # open ones of a party


def find_party(player: Player) -> Party | None:
    return Party.objects.filter(members__player=player).first()


def members_of(party: Party) -> list[PartyMember]:
    """A party's members with their players; those who joined first come first."""
    return list(PartyMember.objects.filter(party=party).select_related("player"))


def invitations_to(player: Player) -> list[Invitation]:
    """A player's open invitations, newest first."""
    return list(Invitation.objects.filter(player=player).select_related("party", "by")[:MOST_INVITATIONS])


def party_limit() -> int:
    """The most players a party may have: as many as the largest party limit of the open queues."""
    queues = Queue.objects.filter(open=True).select_related("mode")
    return max((queue.party_limit for queue in queues), default=1)


@transaction.atomic
def invite(player: Player, *, by: Player, now: dt.datetime) -> Invitation:
    """Invite a player to the party of `by`; a new party is made if `by` is in none. Raises Refusal."""
    if player.pk == by.pk:
        raise Refusal("yourself")
    if player.anonymised_at is not None or player.merged_into_id is not None:
        raise Refusal("gone", player=player.name)
    if Blocking.objects.filter(Q(blocker=player, blocked=by) | Q(blocker=by, blocked=player)).exists():
        raise Refusal("blocked", player=player.name)
    party = _own_party(by, now)
    if PartyMember.objects.filter(party=party, player=player).exists():
        raise Refusal("already-in", player=player.name)
    _check_room(party, Invitation.objects.filter(party=party).exclude(player=player).count())
    values = {"by": by, "invited_at": now}
    return Invitation.objects.update_or_create(party=party, player=player, defaults=values)[0]


def _own_party(player: Player, now: dt.datetime) -> Party:
    """Lock and return a player's party; make a new one if the player is in none."""
    membership = PartyMember.objects.filter(player=player).first()
    if membership is not None and (own := _find_locked(membership.party_id)) is not None:
        return own
    party = Party.objects.create(created_at=now)  # they were in none, or theirs has just ended
    try:
        with transaction.atomic():
            PartyMember.objects.create(party=party, player=player, leads=True, joined_at=now)
    except IntegrityError:
        raise Refusal("busy:joined") from None
    return party


def _find_locked(party_id: int) -> Party | None:
    """Lock a party; None if it has ended."""
    return Party.objects.select_for_update().filter(pk=party_id).first()


def _lock(party_id: int) -> Party:
    party = _find_locked(party_id)
    if party is None:
        raise Refusal("no-party")
    return party


def _check_room(party: Party, invited: int) -> None:
    """Raise Refusal if the party is full, or has too many open invitations already (`invited`)."""
    limit = party_limit()
    if limit < 2:
        raise Refusal("no-parties")
    if PartyMember.objects.filter(party=party).count() >= limit:
        raise Refusal("party-full", most=limit)
    if invited >= MOST_INVITATIONS:
        raise Refusal("invitations", most=MOST_INVITATIONS)


@transaction.atomic
def accept_invitation(invitation: Invitation, *, by: Player, now: dt.datetime) -> Party:
    """Join the party of an invitation. Raises Refusal."""
    if invitation.player_id != by.pk:
        raise Refusal("not-yours:invited")
    party = _find_locked(invitation.party_id)
    if party is None or not Invitation.objects.filter(pk=invitation.pk, player=by).exists():
        raise Refusal("taken-back")
    if restriction := find_restrictions([by.pk], now).get(by.pk):
        raise Refusal("barred", why=restriction.sentence)
    _check_room(party, 0)
    if _is_queued(party):
        raise Refusal("queued")
    if Ticket.objects.filter(members__player=by, members__live=True).exists():
        raise Refusal("busy:yourself")
    try:
        with transaction.atomic():
            PartyMember.objects.create(party=party, player=by, joined_at=now)
    except IntegrityError:
        raise Refusal("in-party") from None
    Invitation.objects.filter(party=party, player=by).delete()
    return party


def _is_queued(party: Party) -> bool:
    return Ticket.objects.filter(party=party, state__in=lifecycle.TICKET.going_on).exists()


@transaction.atomic
def decline_invitation(invitation: Invitation, *, by: Player) -> None:
    """Decline an invitation (the invited player) or take it back (any member of the party). Raises Refusal."""
    if invitation.player_id != by.pk and not PartyMember.objects.filter(party=invitation.party_id, player=by).exists():
        raise Refusal("not-yours:invitation")
    drop_invitations(Invitation.objects.filter(pk=invitation.pk))


@transaction.atomic
def drop_invitations(invitations: QuerySet[Invitation]) -> None:
    """Delete invitations, and end the parties that are alone then."""
    parties = sorted(set(invitations.values_list("party", flat=True)))
    list(Party.objects.select_for_update().filter(pk__in=parties).order_by("pk"))  # as everywhere, before their rows
    invitations.delete()
    end_lone_parties(parties)


def end_lone_parties(parties: Iterable[int] | None = None) -> None:
    """End those of these parties that have one member and no invitation; None = of all. Their tickets go on."""
    found = _lone_parties() if parties is None else _lone_parties().filter(pk__in=list(parties))
    for party in found.order_by("pk").values_list("pk", flat=True):
        _end_if_lone(party)


@transaction.atomic
def _end_if_lone(party_id: int) -> None:
    if _find_locked(party_id) is not None:
        _lone_parties().filter(pk=party_id).delete()  # as it is now: somebody may have joined, or been invited


def _lone_parties() -> QuerySet[Party]:
    """Parties of one, or of nobody, without an open invitation."""
    invited, members = Invitation.objects.filter(party=OuterRef("pk")), PartyMember.objects.filter(party=OuterRef("pk"))
    others = members.filter(leads=False)
    return Party.objects.filter(~Exists(invited), ~Exists(others))


def leave_party(player: Player, *, now: dt.datetime) -> None:
    """Leave one's party. A waiting ticket of the party is cancelled. Does nothing if the player is in no party."""
    _take_out(player, ending=Ending("left-party", {"player": player.name}), now=now)


def remove_member(player: Player, *, by: Player, now: dt.datetime) -> None:
    """Remove a member, which only the leader may do. Raises Refusal."""
    membership = PartyMember.objects.filter(player=by, leads=True).first()
    if membership is None or not PartyMember.objects.filter(party=membership.party_id, player=player).exists():
        raise Refusal("not-leader")
    _take_out(player, ending=Ending("removed", {"player": player.name}), now=now)


@transaction.atomic
def _take_out(player: Player, *, ending: Ending, now: dt.datetime) -> None:
    membership = PartyMember.objects.filter(player=player).first()
    if membership is None:
        return
    party = _find_locked(membership.party_id)
    membership = None if party is None else PartyMember.objects.filter(party=party, player=player).first()
    if party is None or membership is None:
        return  # somebody else was quicker
    membership.delete()
    waiting = Ticket.objects.filter(party=party, state=lifecycle.WAITING)
    end_tickets(waiting, lifecycle.CANCELLED, ending=ending, now=now)
    successor = PartyMember.objects.filter(party=party).first()
    if successor is None:
        party.delete()
        return
    if membership.leads:
        PartyMember.objects.filter(pk=successor.pk).update(leads=True)
    end_lone_parties([party.pk])


@transaction.atomic
def pass_leadership(to: Player, *, by: Player) -> None:
    """Make another member the leader. Raises Refusal."""
    membership = PartyMember.objects.filter(player=by, leads=True).first()
    if membership is None:
        raise Refusal("not-leader:nobody")
    party = _lock(membership.party_id)
    if not PartyMember.objects.filter(party=party, player=to).exists():
        raise Refusal("not-in", player=to.name)
    if PartyMember.objects.filter(party=party, player=by, leads=True).update(leads=False):
        PartyMember.objects.filter(party=party, player=to).update(leads=True)


def note_pings(player: Player, pings: Mapping[str, float], ping_limit: int | None) -> None:
    """Save a member's pings, which count when the leader queues. Raises Refusal."""
    check_pings(None, pings)
    PartyMember.objects.filter(player=player).update(pings=dict(pings), ping_limit=ping_limit)
