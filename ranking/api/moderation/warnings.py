"""`/players/{id}/warnings/` and `/warnings/{number}/withdraw/`: what players read, and what has no effect."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import Conflict, get_numbered
from ranking.api.moderation.authors import (
    ActSerializer,
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    read_act,
    read_authored_query,
)
from ranking.api.output import OutputSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.database.keyset import Order
from ranking.models import PlayerWarning
from ranking.moderation.notes import warn_players, withdraw_warnings

ORDER = Order((("pk", "whole"),), descending=True)


class WarningSerializer(OutputSerializer[PlayerWarning]):
    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")
    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="The login name of who warned; null: the system."
    )
    warned_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(source="lifted_at", allow_null=True)
    withdrawn_by = serializers.CharField(source="lifted_by.username", allow_null=True)
    withdraw_reason = serializers.CharField(source="lift_reason", allow_blank=True, help_text="The player reads it.")
    withdraw_note = serializers.CharField(source="lift_note", allow_blank=True, help_text="For moderators only.")


class WarningsQuery(PageQuery, AuthorQuery):
    pass


class WarningsView(ModeratingView):
    @documented(
        "A player's warnings, the newest first",
        operation_id="list_warnings",
        description="With those that were withdrawn. The author needs the right to see warnings.",
        answers={200: page_of("WarningPage", WarningSerializer(many=True))},
        problems=[400, 403, 404],
        query=WarningsQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        query = read_authored_query(request, "ranking.view_playerwarning", WarningsQuery)
        page, after = find_page(_warnings().filter(player=get_player(id)).order_by("-pk"), ORDER, query)
        return page_response(request, WarningSerializer.fill_many(page), after)

    @documented(
        "Warn a player",
        operation_id="warn_player",
        description=(
            "The player reads the reason; nothing else follows. A player who has left for good can't be warned: 409."
            " The author needs the right to warn."
        ),
        request=ActSerializer,
        answers={201: WarningSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.add_playerwarning")
        warnings = act.carry_out(warn_players, [get_player(id)])
        if not warnings:
            raise Conflict("This player has left for good.")
        return Response(WarningSerializer.fill(get_warning(warnings[0].pk)), status=201)


class WithdrawWarningView(ModeratingView):
    @documented(
        "Withdraw a warning",
        operation_id="withdraw_warning",
        description=(
            "It stays, as withdrawn, and the player reads the reason. Sent again, it changes nothing. The author needs"
            " the right to warn."
        ),
        request=ActSerializer,
        answers={200: WarningSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.add_playerwarning")
        act.carry_out(withdraw_warnings, [get_warning(number).pk])
        return Response(WarningSerializer.fill(get_warning(number)))


def _warnings() -> Any:
    return PlayerWarning.objects.select_related("player", "by", "lifted_by")


def get_warning(number: int) -> PlayerWarning:
    """The warning with this number. Raises NotFound."""
    warning: PlayerWarning = get_numbered(_warnings(), number, "warning")
    return warning
