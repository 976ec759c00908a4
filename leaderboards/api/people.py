"""What the calls of a player about other players have in common: who may, and how people are told of."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from ranking.api.authentication import caller
from ranking.api.base import ApiView
from ranking.api.match_answers import PersonSerializer
from ranking.database.keyset import Order
from ranking.models import Player

LATEST = Order((("id", "whole"),), descending=True)


class NeedsPlayer(NotAuthenticated):
    default_detail = "This needs a player's token: 'Authorization: Bearer <token>'."


class Conflict(APIException):
    status_code = 409


class IsPlayer(BasePermission):
    """A player's token. A key is nobody's."""

    message = "This is for players: call it with a player's token instead of a key."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return caller(request) is not None


def get_caller(request: Request) -> Player:
    """The player who calls; raises NeedsPlayer."""
    player = caller(request)
    if player is None:
        raise NeedsPlayer
    return player


class KnownSerializer(PersonSerializer):
    since = serializers.DateTimeField()


def known_data(player: Player, since: Any) -> dict[str, Any]:
    return {"id": player.key, "name": player.name, "since": since}


class PeopleView(ApiView):
    """What the calls of a player about other players have in common."""

    permission_classes = [IsPlayer]

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> Any:
        if request.auth is None:
            raise NeedsPlayer
        super().permission_denied(request, message, code)
