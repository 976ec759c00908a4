"""`/matches/{number}/void/` and `/restore/`: a match counts for nothing, or again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.answers import STATES, state_of
from ranking.api.base import Conflict
from ranking.api.moderation.authors import ActSerializer, ModeratingView, check_is_for, read_act
from ranking.api.schema import documented
from ranking.api.views.matches import get_match
from ranking.models import Match
from ranking.moderation.voids import RestoreRefused, restore, void
from ranking.rerating.reratings import is_rerating_due

MORE = "Sent again, it changes nothing. The author needs the right to void."


class VoidedSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    id = serializers.CharField(help_text="Its sender's own id of it.")
    mode = serializers.CharField()
    state = serializers.ChoiceField(STATES)
    rerating = serializers.BooleanField(help_text="A re-rating of the mode waits or runs: ratings follow when it ends.")


class VoidView(ModeratingView):
    @documented(
        "Void a match",
        operation_id="void_match",
        description=f"It counts for nothing, and what came after it is rated anew, in order. {MORE}",
        request=ActSerializer,
        answers={200: VoidedSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, void)


class RestoreView(ModeratingView):
    @documented(
        "Restore a void match",
        operation_id="restore_match",
        description=(
            "It counts again, in its old place, and what came after it is rated anew. 409 if two of its players were"
            f" merged since: split them first. {MORE}"
        ),
        request=ActSerializer,
        answers={200: VoidedSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, number: int) -> Response:
        return _change(request, number, restore)


def _change(request: Request, number: int, function: Callable[..., list[Match]]) -> Response:
    act = read_act(request, "ranking.add_void")
    match = get_match(request, number)
    check_is_for(request, match.mode.slug)
    try:
        act.carry_out(function, [match])
    except RestoreRefused as refused:
        raise Conflict(str(refused)) from None
    match = get_match(request, number)
    data = {"number": match.pk, "id": match.external_id, "mode": match.mode.slug, "state": state_of(match)}
    return Response({**data, "rerating": is_rerating_due(match.mode)})
