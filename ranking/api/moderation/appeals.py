"""Players' appeals against bans and lockouts."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from ranking.api.moderation.calls import ListQuery, Subject, find_queried_player, getter_of
from ranking.api.output import OutputSerializer
from ranking.models import Appeal
from ranking.validation.fields import KeyField

DECISIONS = tuple(name for name, _ in Appeal.DECISIONS)
APPEALS = Appeal.objects.select_related("player", "assigned_to", "decided_by")


class AppealSerializer(OutputSerializer[Appeal]):
    first = ("number", "player", "ban", "incident", "decision", "assigned_to", "decided_by")

    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    ban = serializers.IntegerField(
        source="ban_id", allow_null=True, help_text="The number of the ban that it is against."
    )
    incident = serializers.IntegerField(
        source="incident_id", allow_null=True, help_text="The number of the incident that it is against."
    )
    words = serializers.CharField(help_text="The player's own.")
    made_at = serializers.DateTimeField()
    assigned_to = serializers.CharField(
        source="assigned_to.username",
        allow_null=True,
        help_text="The login name of the moderator who looks into it.",
    )
    decision = serializers.ChoiceField(
        DECISIONS,
        allow_null=True,
        help_text=(
            "`granted`: the ban was lifted, or the incident pardoned. `confirmed`: the ban or lockout stays, the appeal"
            " was turned down. Null: it is open."
        ),
    )
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(source="decided_by.username", allow_null=True)
    answer = serializers.CharField(allow_blank=True, help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")


APPEAL = Subject(AppealSerializer, getter_of(APPEALS, "appeal"))


class AppealsQuery(ListQuery):
    state = serializers.ChoiceField(("open", "decided"), required=False)
    player = KeyField(max_length=128, required=False, help_text="The game's key for the player.")


def find_appeals(request: Request, query: dict[str, object]) -> QuerySet[Appeal]:
    """The appeals that a query asks for, the newest first."""
    rows = APPEALS.order_by("-pk")
    if "state" in query:
        rows = rows.filter(decided_at__isnull=query["state"] == "open")
    return rows.filter(player=find_queried_player(query)) if "player" in query else rows
