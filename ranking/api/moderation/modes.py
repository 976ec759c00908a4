"""`/modes/{mode}/settings/`: what an administrator may set of a mode in the admin, but for its rating system."""

from __future__ import annotations

from typing import Any

from django.conf import settings as site_settings
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.authentication import check_is_for
from ranking.api.moderation.authors import (
    AuthorQuery,
    ConfiguringView,
    read_act,
    read_authored_query,
)
from ranking.api.moderation.setting_fields import refusals_named, settings_serializers
from ranking.api.schema import documented
from ranking.models import Mode
from ranking.modes.administration import configure_mode
from ranking.modes.changes import SETTINGS
from ranking.modes.unknown_modes import unknown_mode

ConfiguredModeSerializer, ModeChangeSerializer = settings_serializers("Mode", Mode, SETTINGS)


class ModeSettingsView(ConfiguringView):
    @documented(
        "A mode's settings",
        operation_id="get_mode_settings",
        description="All that can be set in the admin but the rating system. The author needs the right to see modes.",
        answers={200: ConfiguredModeSerializer},
        problems=[400, 403, 404],
        query=AuthorQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        read_authored_query(request, "ranking.view_mode")
        return Response(_mode_data(get_mode(mode)))

    @documented(
        "Change a mode's settings",
        operation_id="change_mode_settings",
        description=(
            "Those left out stay as they are; of two changes of one setting the later one holds. Boards follow with the"
            " next publication. The author needs the right to change modes."
        ),
        request=ModeChangeSerializer,
        answers={200: ConfiguredModeSerializer},
        problems=[400, 403, 404, 415],
    )
    def patch(self, request: Request, mode: str) -> Response:
        check_is_for(request, mode)
        act = read_act(request, "ranking.change_mode", ModeChangeSerializer)
        row, values = get_mode(mode), _values_from(act.values["settings"])
        with refusals_named():
            act.carry_out(configure_mode, row, values)
        return Response(_mode_data(get_mode(mode)))


def _values_from(sent: dict[str, Any]) -> dict[str, Any]:
    """The settings as the model has them. Raises ValidationError for an unknown mode or language."""
    values = dict(sent)
    if sent.get("entry_mode") is not None:
        values["entry_mode"] = Mode.objects.filter(slug=sent["entry_mode"]).first()
        if values["entry_mode"] is None:
            unknown = ErrorDetail(unknown_mode(sent["entry_mode"]), "unknown")
            raise ValidationError({"settings": {"entry_mode": [unknown]}})
    names = sent.get("names", {})
    codes = dict(site_settings.LANGUAGES)
    if not isinstance(names, dict) or any(
        code not in codes or not isinstance(name, str) or not 1 <= len(name) <= 64 for code, name in names.items()
    ):
        known = ", ".join(codes)
        sentence = f"Write an object of names of 1 to 64 letters, by language; languages are {known}."
        raise ValidationError({"settings": {"names": [sentence]}})
    return values


def get_mode(slug: str) -> Mode:
    """The mode with this slug. Raises NotFound."""
    mode = Mode.objects.select_related("entry_mode").filter(slug=slug).first()
    if mode is None:
        raise NotFound(unknown_mode(slug))
    return mode


def _mode_data(mode: Mode) -> dict[str, Any]:
    """ConfiguredModeSerializer's data."""
    values = {name: getattr(mode, name) for name in SETTINGS}
    return {"mode": mode.slug, "settings": {**values, "entry_mode": mode.entry_mode and mode.entry_mode.slug}}
