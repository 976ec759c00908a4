"""A party and invitations as the API answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rest_framework import serializers

from matchmaking.models import Invitation, Party, PartyMember
from matchmaking.parties.parties import find_party, invitations_to, members_of
from ranking.api.match_answers import PersonSerializer, WithPersonSerializer
from ranking.api.output import OutputSerializer
from ranking.models import Player


@dataclass(frozen=True, slots=True)
class JoinedParty:
    """A party with its members, the longest there first, and whom it invited."""

    party: Party
    members: Sequence[PartyMember]
    invited: Sequence[Invitation]


@dataclass(frozen=True, slots=True)
class OwnParty:
    """A player's party, if they are in one, and their invitations to others, the latest first."""

    party: JoinedParty | None
    invitations: Sequence[Invitation]


def load_own_party(player: Player) -> OwnParty:
    """Load the party of a player, and the invitations to them."""
    party = find_party(player)
    joined = None
    if party is not None:
        joined = JoinedParty(party, members_of(party), list(party.invitations.select_related("player")))
    return OwnParty(joined, invitations_to(player))


class MemberSerializer(WithPersonSerializer[PartyMember]):
    leads = serializers.BooleanField()
    joined_at = serializers.DateTimeField()


class InvitedSerializer(WithPersonSerializer[Invitation]):
    invited_at = serializers.DateTimeField()


class PartySerializer(OutputSerializer[JoinedParty]):
    id = serializers.IntegerField(source="party.pk", help_text="Its number, with which its leader queues it.")
    players = MemberSerializer(source="members", many=True, help_text="The longest there first.")
    invited = InvitedSerializer(many=True)


class InvitationSerializer(OutputSerializer[Invitation]):
    party = serializers.IntegerField(source="party_id", help_text="Its number.")
    by = PersonSerializer()
    invited_at = serializers.DateTimeField()


class OwnPartySerializer(OutputSerializer[OwnParty]):
    party = PartySerializer(allow_null=True, help_text="Null: one is in none.")
    invitations = InvitationSerializer(many=True, help_text="To other parties, the latest first.")
