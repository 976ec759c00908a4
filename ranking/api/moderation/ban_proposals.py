"""Proposed bans, which another moderator confirms or refuses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from ranking.api.moderation.authors import Act, ActSerializer
from ranking.api.moderation.bans import SCOPES, ExtendSerializer
from ranking.api.moderation.calls import ListQuery, Subject, find_queried_player, getter_of
from ranking.api.output import OutputSerializer
from ranking.models import BanProposal, Player
from ranking.moderation.ban_proposals import propose_bans
from ranking.validation.fields import ChoiceField, KeyField

STATES = ("open", *(decision for decision, _ in BanProposal.DECISIONS))
PROPOSALS = BanProposal.objects.select_related("player", "by", "decided_by")


class AlreadyProposed(Exception):
    """A ban of the player is proposed already. The text is a sentence."""


class BanProposalSerializer(OutputSerializer[BanProposal]):
    first = ("number", "player", "state", "by", "decided_by")

    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    scope = serializers.ChoiceField(SCOPES)
    hours = serializers.IntegerField(
        allow_null=True, help_text="How long the ban lasts from its confirmation on. Null: for good."
    )
    state = serializers.ChoiceField(STATES)
    reason = serializers.CharField(help_text="The player reads it, once the ban is in force.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")
    by = serializers.CharField(source="by.username", allow_null=True, help_text="The login name of who proposed it.")
    proposed_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(source="decided_by.username", allow_null=True)
    answer = serializers.CharField(allow_blank=True, help_text="Why it was decided so. For moderators only.")
    ban = serializers.IntegerField(source="ban_id", allow_null=True, help_text="The number of the ban that it became.")

    @staticmethod
    def fill_state(proposal: BanProposal) -> str:
        return proposal.decision or "open"


PROPOSAL = Subject(BanProposalSerializer, getter_of(PROPOSALS, "proposed ban"))


class ProposalsQuery(ListQuery):
    state = serializers.ChoiceField(STATES, required=False)
    player = KeyField(max_length=128, required=False, help_text="The game's key for the player.")


class NewProposalSerializer(ExtendSerializer):
    """Without `days` and `hours`: until it is lifted."""

    scope = ChoiceField(SCOPES, help_text="What the player is to be banned from.")

    @staticmethod
    def arguments(act: Act) -> dict[str, Any]:
        values = ActSerializer.arguments(act)
        days, hours = values.pop("days", None), values.pop("hours", None)
        return {**values, "hours": 24 * days if days is not None else hours}


def find_proposals(request: Request, query: dict[str, object]) -> QuerySet[BanProposal]:
    """The proposals that a query asks for, the newest first."""
    rows = PROPOSALS.order_by("-pk")
    if "player" in query:
        rows = rows.filter(player=find_queried_player(query))
    if "state" in query:
        rows = rows.filter(decided_at=None) if query["state"] == "open" else rows.filter(decision=query["state"])
    return rows


def propose_ban(players: Collection[Player], **details: Any) -> list[BanProposal]:
    """Propose a ban of one player. Raises AlreadyProposed."""
    proposals = propose_bans(players, **details)
    if not proposals and BanProposal.objects.filter(player__in=players, decided_at=None).exists():
        raise AlreadyProposed("A ban of this player is proposed already: it waits for a decision.")
    return proposals
