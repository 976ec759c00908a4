"""`/audit/`: the audit log, the newest line first."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.moderation.authors import (
    LONGEST_LOGIN,
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    read_authored_query,
)
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.database.keyset import Order
from ranking.models import AuditEntry
from ranking.operations.audit import ACTS, COMMAND, OWNER, SYSTEM, authored
from ranking.players.players import find_player
from ranking.validation.fields import KeyField, TimestampField

ORDER = Order((("at", "moment"), ("pk", "whole")), descending=True)


class AuditQuery(PageQuery, AuthorQuery):
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


class AuditEntrySerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
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
    player = serializers.CharField(allow_null=True, help_text="The game's key for the player concerned, if any.")
    reason = serializers.CharField()
    note = serializers.CharField(allow_blank=True, help_text="For moderators only; or what the act changed.")


class AuditView(ModeratingView):
    @documented(
        "The audit log, the newest line first",
        operation_id="list_audit",
        description="What moderators and the system did, and why. The author needs the right to see the audit log.",
        answers={200: page_of("AuditPage", AuditEntrySerializer(many=True))},
        problems=[400, 403],
        query=AuditQuery,
    )
    def get(self, request: Request) -> Response:
        check_is_for_all_modes(request)
        query = read_authored_query(request, "ranking.view_auditentry", AuditQuery)
        page, after = find_page(_find_entries(query), ORDER, query)
        return page_response(request, map(_entry_data, page), after)


def _find_entries(query: dict[str, Any]) -> QuerySet[AuditEntry]:
    columns = {"act": "act", "since": "at__gte", "until": "at__lt"}
    conditions = {column: query[name] for name, column in columns.items() if name in query}
    if "who" in query:
        conditions |= authored(query["who"])
    if "player" in query:
        player = find_player(query["player"])
        if player is None:
            sentence = ErrorDetail(f"There is no player {query['player']!r}.", "unknown")
            raise ValidationError({"player": [sentence]})
        conditions["player"] = player
    return AuditEntry.objects.filter(**conditions).select_related("player").order_by("-at", "-pk")


def _entry_data(entry: AuditEntry) -> dict[str, Any]:
    """AuditEntrySerializer's data."""
    return {
        "number": entry.pk,
        "at": entry.at,
        "who": entry.who or None,
        "via": entry.via or None,
        "act": entry.act,
        "subject": entry.subject,
        "player": entry.player and entry.player.key,
        "reason": entry.reason,
        "note": entry.note,
    }
