"""Parameters of a mode's rating system, and new versions of them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from ranking.api.authentication import check_is_for
from ranking.api.moderation.authors import ConfiguringView, StaffActSerializer
from ranking.api.moderation.calls import Subject
from ranking.api.moderation.modes import get_mode
from ranking.api.moderation.setting_fields import PlainJSONField
from ranking.api.output import OutputSerializer
from ranking.models import ParameterVersion
from ranking.modes.administration import configure_parameters
from ranking.modes.changes import ModeBusy
from ranking.modes.parameters import changed_params, current_parameters
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, refusals_of


class ModeParametersSerializer(OutputSerializer[ParameterVersion]):
    """The parameters by which a mode is rated."""

    mode = serializers.CharField(source="mode.slug")
    version = serializers.IntegerField(source="number", help_text="Counted from 1 in each mode.")
    since = serializers.DateTimeField(source="event.happened_at", help_text="When they came into force.")
    system = serializers.ChoiceField(tuple(SYSTEMS))
    params = serializers.DictField(help_text="Those that aren't at their defaults, by name.")

    @staticmethod
    def fill_params(version: ParameterVersion) -> dict[str, object]:
        return changed_params(version)


class NewParametersSerializer(StaffActSerializer):
    """A new version of a mode's parameters."""

    params = PlainJSONField(dict, help_text="Of the mode's rating system. Those left out get their defaults.")


def get_parameters(request: Request, slug: str) -> ParameterVersion:
    """The parameters in force of the mode with this slug. Raises NotFound."""
    mode = get_mode(request, slug)
    version = current_parameters(mode)
    version.mode = mode
    return version


def change_parameters(version: ParameterVersion, *, params: dict[str, object], **act: Any) -> None:
    """Change the parameters in force, as a request sends new ones. Raises ValidationError and ModeBusy."""
    try:
        configure_parameters(version.mode, params, **act)
    except ModeBusy:
        raise
    except Refused as refused:
        raise ValidationError({"params": _errors_of(version.system, params, refused)}) from refused


def _errors_of(system: str, params: dict[str, object], refused: Refused) -> Any:
    """The sentences by parameter; one of all of them if they don't go together, or don't fit the mode."""
    named = {name: [sentence] for name, sentence in refusals_of(system, params).items() if name is not None}
    return named or [str(refused)]


PARAMETERS = Subject(
    ModeParametersSerializer, get_parameters, check_is_for, ConfiguringView, given=lambda version: version
)
