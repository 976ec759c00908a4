"""`/appeals/` and `/appeals/{number}/`: players' appeals against bans and lockouts, and the decisions on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import get_numbered
from ranking.api.moderation.authors import (
    ActSerializer,
    AuthorQuery,
    ModeratingView,
    check_is_for_all_modes,
    login_of,
    read_act,
    read_authored_query,
)
from ranking.api.pagination import PageQuery, find_page, page_of, page_response
from ranking.api.schema import documented
from ranking.database.keyset import Order
from ranking.models import Appeal
from ranking.moderation.appeals import decide_appeals
from ranking.moderation.undoing import reopen_appeals
from ranking.players.players import find_player
from ranking.validation.fields import KeyField

ORDER = Order((("pk", "whole"),), descending=True)
DECISIONS = tuple(name for name, _ in Appeal.DECISIONS)
AGAIN = "Sent again, it changes nothing. The author needs the right to decide appeals."


class AppealSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    player = serializers.CharField(help_text="The game's key for the player.")
    ban = serializers.IntegerField(allow_null=True, help_text="The number of the ban that it is against.")
    incident = serializers.IntegerField(allow_null=True, help_text="The number of the incident that it is against.")
    words = serializers.CharField(help_text="The player's own.")
    made_at = serializers.DateTimeField()
    assigned_to = serializers.CharField(allow_null=True, help_text="The login name of the moderator who looks into it.")
    decision = serializers.ChoiceField(
        DECISIONS,
        allow_null=True,
        help_text=(
            "`granted`: the ban was lifted, or the incident pardoned. `confirmed`: the ban or lockout stays, the appeal"
            " was turned down. Null: it is open."
        ),
    )
    decided_at = serializers.DateTimeField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    answer = serializers.CharField(allow_blank=True, help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")


class AppealsQuery(PageQuery, AuthorQuery):
    state = serializers.ChoiceField(("open", "decided"), required=False)
    player = KeyField(max_length=128, required=False, help_text="The game's key for the player.")


class AppealsView(ModeratingView):
    @documented(
        "Appeals, the newest first",
        operation_id="list_appeals",
        description="The author needs the right to see appeals.",
        answers={200: page_of("AppealPage", AppealSerializer(many=True))},
        problems=[400, 403],
        query=AppealsQuery,
    )
    def get(self, request: Request) -> Response:
        check_is_for_all_modes(request)
        query = read_authored_query(request, "ranking.view_appeal", AppealsQuery)
        rows = _appeals()
        if "state" in query:
            rows = rows.filter(decided_at__isnull=query["state"] == "open")
        if "player" in query:
            player = find_player(query["player"])
            if player is None:
                sentence = ErrorDetail(f"There is no player {query['player']!r}.", "unknown")
                raise ValidationError({"player": [sentence]})
            rows = rows.filter(player=player)
        page, after = find_page(rows.order_by("-pk"), ORDER, query)
        return page_response(request, map(_appeal_data, page), after)


class AppealView(ModeratingView):
    @documented(
        "An appeal",
        operation_id="get_appeal",
        description="By its number. The author needs the right to see appeals.",
        answers={200: AppealSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, number: int) -> Response:
        check_is_for_all_modes(request)
        read_authored_query(request, "ranking.view_appeal")
        return Response(_appeal_data(get_appeal(number)))


class GrantView(ModeratingView):
    @documented(
        "Grant an appeal: lift the ban or lockout",
        operation_id="grant_appeal",
        description=f"The ban is lifted, or the incident pardoned; ratings stay. {AGAIN}",
        request=ActSerializer,
        answers={200: AppealSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, partial(decide_appeals, grant=True))


class ConfirmView(ModeratingView):
    @documented(
        "Turn down an appeal: uphold the ban or lockout",
        operation_id="confirm_appeal",
        description=f"The ban or lockout stays, and the player is told that the appeal was turned down. {AGAIN}",
        request=ActSerializer,
        answers={200: AppealSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, partial(decide_appeals, grant=False))


class ReopenView(ModeratingView):
    @documented(
        "Reopen a decided appeal",
        operation_id="reopen_appeal",
        description=(
            "It is open again. What granting it did is taken back; a ban is put in force again if its end is still to"
            f" come. {AGAIN}"
        ),
        request=ActSerializer,
        answers={200: AppealSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, reopen_appeals)


def _change(request: Request, number: int, function: Callable[..., list[Appeal]]) -> Response:
    """Carry an act on one appeal out; the response is the appeal as it is afterwards, changed or not."""
    check_is_for_all_modes(request)
    act = read_act(request, "ranking.decide_appeal")
    act.carry_out(function, [get_appeal(number).pk])
    return Response(_appeal_data(get_appeal(number)))


def _appeals() -> Any:
    return Appeal.objects.select_related("player", "assigned_to", "decided_by")


def get_appeal(number: int) -> Appeal:
    """The appeal with this number. Raises NotFound."""
    appeal: Appeal = get_numbered(_appeals(), number, "appeal")
    return appeal


def _appeal_data(appeal: Appeal) -> dict[str, Any]:
    """AppealSerializer's data."""
    return {
        "number": appeal.pk,
        "player": appeal.player.key,
        "ban": appeal.ban_id,
        "incident": appeal.incident_id,
        "decision": appeal.decision or None,
        "assigned_to": login_of(appeal.assigned_to),
        "decided_by": login_of(appeal.decided_by),
        **{name: getattr(appeal, name) for name in ("words", "made_at", "decided_at", "answer", "note")},
    }
