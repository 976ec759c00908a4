"""`/players/{id}/hide/`, `/show/` and `/erase/`: players taken off boards, shown again, and made nameless for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import Conflict
from ranking.api.moderation.authors import (
    ActSerializer,
    ModeratingView,
    StaffActSerializer,
    check_is_for_all_modes,
    read_act,
)
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Player
from ranking.moderation.sanctions import hide_players, show_players
from ranking.players.administration import anonymise_players
from ranking.validation.fields import KeyField


class HiddenSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    hidden_at = serializers.DateTimeField(allow_null=True, help_text="Null: not hidden by a moderator.")


class EraseSerializer(StaffActSerializer):
    confirm = KeyField(max_length=128, help_text="The player's key once more.")


class ErasedSerializer(serializers.Serializer[Any]):
    erased_at = serializers.DateTimeField()


class HideView(ModeratingView):
    @documented(
        "Hide a player from boards",
        operation_id="hide_player",
        description=(
            "With the next publication they are on no board; their matches go on being rated. Sent again, it changes"
            " nothing. The author needs the right to hide players."
        ),
        request=ActSerializer,
        answers={200: HiddenSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        return _change(request, id, hide_players)


class ShowView(ModeratingView):
    @documented(
        "Show a hidden player on boards again",
        operation_id="show_player",
        description=(
            "With the next publication, on the boards for which they qualify. Sent again, it changes nothing. The"
            " author needs the right to hide players."
        ),
        request=ActSerializer,
        answers={200: HiddenSerializer},
        problems=[400, 403, 404, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        return _change(request, id, show_players)


class EraseView(ModeratingView):
    @documented(
        "Erase a player's data",
        operation_id="erase_player",
        description=(
            "Name, key and login are taken from the player for good; nothing brings them back. Their matches stay, as a"
            " former player's. Afterwards the key is unknown: sent again, it is answered with 404. If the player is"
            " merged into another meanwhile, nothing is erased: 409. The author needs an administrator's right to"
            " change players."
        ),
        request=EraseSerializer,
        answers={200: ErasedSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, id: str) -> Response:
        check_is_for_all_modes(request)
        act = read_act(request, "ranking.change_player", EraseSerializer)
        player = get_player(id)
        if act.values["confirm"] != player.key:
            raise ValidationError({"confirm": [f"This has to be the key of the player, {player.key!r}."]})
        act.carry_out(anonymise_players, [player.pk])
        player.refresh_from_db(fields=["anonymised_at"])  # a former player was erased earlier
        if player.anonymised_at is None:
            raise Conflict("This player was merged into another meanwhile. Nothing was erased.")
        return Response({"erased_at": player.anonymised_at})


def _change(request: Request, id: str, function: Callable[..., list[Player]]) -> Response:
    """Carry an act on one player out; the response is how the player stands afterwards, changed or not."""
    check_is_for_all_modes(request)
    act = read_act(request, "ranking.hide_player")
    player = get_player(id)
    act.carry_out(function, [player.pk])
    player.refresh_from_db(fields=["hidden_at"])
    return Response({"id": player.key, "hidden_at": player.hidden_at})
