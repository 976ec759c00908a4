"""`/modes/{mode}/parameters/`: the parameters of a mode's rating system, and a new version of them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import check_is_for
from ranking.api.base import Conflict
from ranking.api.moderation.authors import (
    AuthorQuery,
    ConfiguringView,
    StaffActSerializer,
    read_act,
    read_authored_query,
)
from ranking.api.moderation.modes import get_mode
from ranking.api.moderation.setting_fields import PlainJSONField
from ranking.api.schema import documented
from ranking.models import Mode
from ranking.modes.administration import configure_parameters
from ranking.modes.changes import ModeBusy
from ranking.modes.parameters import changed_params, current_parameters
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, refusals_of


class ModeParametersSerializer(serializers.Serializer[Any]):
    """The parameters by which a mode is rated."""

    mode = serializers.CharField()
    version = serializers.IntegerField(help_text="Counted from 1 in each mode.")
    since = serializers.DateTimeField(help_text="When they came into force.")
    system = serializers.ChoiceField(tuple(SYSTEMS))
    params = serializers.DictField(help_text="Those that aren't at their defaults, by name.")


class NewParametersSerializer(StaffActSerializer):
    """A new version of a mode's parameters."""

    params = PlainJSONField(dict, help_text="Of the mode's rating system. Those left out get their defaults.")


class ModeParametersView(ConfiguringView):
    @documented(
        "A mode's rating system and its parameters",
        operation_id="get_mode_parameters",
        description="Those in force. The author needs the right to see modes.",
        answers={200: ModeParametersSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        read_authored_query(request, "ranking.view_mode")
        return Response(_parameters_data(get_mode(mode)))

    @documented(
        "Rate a mode by other parameters from now on",
        operation_id="change_mode_parameters",
        description=(
            "A new version of the parameters, by which later matches are rated; ratings stay as they are. Parameters"
            " equal to those in force change nothing. 409 while the mode is rated anew. The author needs the right to"
            " change modes."
        ),
        request=NewParametersSerializer,
        answers={200: ModeParametersSerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        act = read_act(request, "ranking.change_mode", NewParametersSerializer)
        row, params = get_mode(mode), act.values["params"]
        try:
            act.carry_out(configure_parameters, row, params)
        except ModeBusy as busy:
            raise Conflict(str(busy)) from busy
        except Refused as refused:
            raise ValidationError({"params": _errors_of(row, params, refused)}) from refused
        return Response(_parameters_data(row))


def _errors_of(mode: Mode, params: dict[str, Any], refused: Refused) -> Any:
    """The sentences by parameter; one of all of them if they don't go together, or don't fit the mode."""
    refusals = refusals_of(current_parameters(mode).system, params)
    named = {name: [sentence] for name, sentence in refusals.items() if name is not None}
    return named or [str(refused)]


def _parameters_data(mode: Mode) -> dict[str, Any]:
    """ModeParametersSerializer's data."""
    version = current_parameters(mode)
    return {
        "mode": mode.slug,
        "version": version.number,
        "since": version.event.happened_at,
        "system": version.system,
        "params": changed_params(version),
    }
