"""The audit log, the newest line first."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request

from ranking.api.moderation.authors import LONGEST_LOGIN
from ranking.api.moderation.calls import ListQuery, Subject, find_queried_player
from ranking.api.output import OutputSerializer
from ranking.database.keyset import Order
from ranking.models import AuditEntry
from ranking.operations.audit import ACTS, COMMAND, OWNER, SYSTEM, authored
from ranking.validation.fields import KeyField, TimestampField

ORDER = Order((("at", "moment"), ("pk", "whole")), descending=True)


class AuditQuery(ListQuery):
    who = KeyField(
        max_length=LONGEST_LOGIN,
        required=False,
        help_text=f"The login name of who acted; `{SYSTEM}` is the system, `{COMMAND}` a command line, `{OWNER}` the"
        " player, with their own data.",
    )
    act = serializers.ChoiceField(ACTS, required=False)
    player = KeyField(max_length=128, required=False, help_text="The game's key for the player concerned.")
    since = TimestampField(required=False, help_text="Done then or later.")
    until = TimestampField(required=False, help_text="Done before.")


class AuditEntrySerializer(OutputSerializer[AuditEntry]):
    number = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    who = serializers.CharField(allow_null=True, help_text="The login name of who acted; null: nobody of the staff.")
    via = serializers.CharField(
        allow_null=True,
        help_text=(
            "The API key through which they acted; null: none. If `who` is null: `command line`, `player`, or null for"
            " the system."
        ),
    )
    act = serializers.CharField()
    subject = serializers.CharField(help_text="What the act changed, such as match eu1-48213.")
    player = serializers.CharField(
        source="player.key", allow_null=True, help_text="The game's key for the player concerned, if any."
    )
    reason = serializers.CharField()
    note = serializers.CharField(allow_blank=True, help_text="For moderators only; or what the act changed.")


LINE = Subject(AuditEntrySerializer)


def find_entries(request: Request, query: dict[str, Any]) -> QuerySet[AuditEntry]:
    """The lines that a query asks for, the newest first."""
    columns = {"act": "act", "since": "at__gte", "until": "at__lt"}
    conditions = {column: query[name] for name, column in columns.items() if name in query}
    if "who" in query:
        conditions |= authored(query["who"])
    if "player" in query:
        conditions["player"] = find_queried_player(query)
    return AuditEntry.objects.filter(**conditions).select_related("player").order_by("-at", "-pk")
