"""A party and invitations as the API answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from matchmaking.models import Invitation, Party, PartyMember
from ranking.api.match_answers import PersonSerializer


class MemberSerializer(PersonSerializer):
    leads = serializers.BooleanField()
    joined_at = serializers.DateTimeField()


class InvitedSerializer(PersonSerializer):
    invited_at = serializers.DateTimeField()


class PartySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(help_text="Its number, with which its leader queues it.")
    players = MemberSerializer(many=True, help_text="The longest there first.")
    invited = InvitedSerializer(many=True)


class InvitationSerializer(serializers.Serializer[Any]):
    party = serializers.IntegerField(help_text="Its number.")
    by = PersonSerializer()
    invited_at = serializers.DateTimeField()


class OwnPartySerializer(serializers.Serializer[Any]):
    party = PartySerializer(allow_null=True, help_text="Null: one is in none.")
    invitations = InvitationSerializer(many=True, help_text="To other parties, the latest first.")


def party_data(party: Party, members: Sequence[PartyMember], invited: Sequence[Invitation]) -> dict[str, Any]:
    """PartySerializer's data."""
    return {
        "id": party.pk,
        "players": [
            {"id": row.player.key, "name": row.player.name, "leads": row.leads, "joined_at": row.joined_at}
            for row in members
        ],
        "invited": [{"id": row.player.key, "name": row.player.name, "invited_at": row.invited_at} for row in invited],
    }


def invitation_data(invitation: Invitation) -> dict[str, Any]:
    """InvitationSerializer's data."""
    by = {"id": invitation.by.key, "name": invitation.by.name}
    return {"party": invitation.party_id, "by": by, "invited_at": invitation.invited_at}
