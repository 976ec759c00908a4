"""`/players/{id}/conduct/`: whether a player may queue; if not, why and until when."""

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import MayReadConduct, caller
from ranking.api.base import ApiView, NeedsCaller
from ranking.api.schema import documented
from ranking.api.views.players import get_reached_player
from ranking.models import Key
from ranking.moderation.eligibility import REASONS, load_conduct


class BarSerializer(serializers.Serializer[object]):
    reason = serializers.ChoiceField(choices=REASONS)
    number = serializers.IntegerField(help_text="The incident's, the ban's, or that of the running match's ticket.")
    until = serializers.DateTimeField(
        allow_null=True, help_text="null: for good, or until the match that runs has its result."
    )
    sentence = serializers.CharField(help_text="For the player: what for, until when, how to appeal.")


class ConductSerializer(serializers.Serializer[object]):
    id = serializers.CharField()
    may_queue = serializers.BooleanField()
    points = serializers.FloatField(help_text="What leaving weighs now; it decays day by day.")
    bar = BarSerializer(allow_null=True, help_text="Why they may not queue, and until when: what ends last.")


class ConductView(ApiView):
    permission_classes = [MayReadConduct]
    anonymous_error = NeedsCaller

    @documented(
        "Whether a player may queue",
        operation_id="get_conduct",
        description=(
            "For keys with the scope `read`, and for the player themself. Lockouts and bans hold in every mode. A key"
            " for some modes reads it of players of these modes, and of newcomers, who have played none yet."
        ),
        answers={200: ConductSerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, id: str) -> Response:
        if not isinstance(request.auth, Key):
            _check_is_caller(request, id)
        player = get_reached_player(request, id)
        conduct = load_conduct(player.pk, timezone.now())
        restriction = conduct.restriction
        data = {"id": player.key, "may_queue": restriction is None, "points": round(conduct.points, 2)}
        return Response(ConductSerializer({**data, "bar": restriction}).data)


def _check_is_caller(request: Request, id: str) -> None:
    """Raise an error unless the player themself calls. It doesn't tell whether such a player exists."""
    player = caller(request)
    if player is None or player.key != id:
        raise PermissionDenied("This is for keys and for the player themself.", "other-player")
