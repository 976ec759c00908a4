"""Players whom moderators hide from boards, show again or rename, or whom an administrator erases."""

from __future__ import annotations

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
from ranking.api.moderation.calls import Subject
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Player
from ranking.players.administration import anonymise_players
from ranking.players.forbidden_names import check_allowed
from ranking.rules.names import LONGEST, BadName
from ranking.validation.fields import KeyField, NameField


class HiddenSerializer(OutputSerializer[Player]):
    id = serializers.CharField(source="key")
    hidden_at = serializers.DateTimeField(allow_null=True, help_text="Null: not hidden by a moderator.")


class LockedNameSerializer(OutputSerializer[Player]):
    id = serializers.CharField(source="key")
    name = serializers.CharField()
    locked = serializers.BooleanField(help_text="True: a moderator gave the name, and no result changes it.")

    @staticmethod
    def fill_locked(player: Player) -> bool:
        return bool(player.locked_name)


class AllowedNameField(NameField):
    """A player's name that the site doesn't forbid."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        try:
            check_allowed(name)
        except BadName as error:
            raise ValidationError(str(error), "format") from error
        return name


class RenameSerializer(ActSerializer):
    """Another name for a player."""

    name = AllowedNameField(max_length=LONGEST)


class EraseSerializer(StaffActSerializer):
    confirm = KeyField(max_length=128, help_text="The player's key once more.")


class ErasedSerializer(OutputSerializer[Player]):
    erased_at = serializers.DateTimeField(source="anonymised_at")


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
        return Response(ErasedSerializer.fill(player))


PLAYER = Subject(HiddenSerializer, lambda request, key: get_player(key))
NAMED_PLAYER = Subject(LockedNameSerializer, lambda request, key: get_player(key))
