"""Settings of modes: what an administrator may set in the admin, but for the rating system."""

from __future__ import annotations

from typing import Any

from django.conf import settings as site_settings
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request

from ranking.api.authentication import check_is_for
from ranking.api.moderation.authors import ConfiguringView
from ranking.api.moderation.calls import Subject
from ranking.api.moderation.setting_fields import refusals_named, settings_serializers
from ranking.models import Mode
from ranking.modes.administration import configure_mode
from ranking.modes.changes import SETTINGS
from ranking.modes.unknown_modes import unknown_mode

ConfiguredModeSerializer, ModeChangeSerializer = settings_serializers("Mode", Mode, SETTINGS)


def change_mode(mode: Mode, *, settings: dict[str, object], **act: Any) -> None:
    """Change settings of a mode, as a request sends them. Raises ValidationError."""
    values = _values_from(settings)
    with refusals_named():
        configure_mode(mode, values, **act)


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


def get_mode(request: Request, slug: str) -> Mode:
    """The mode with this slug. Raises NotFound."""
    mode = Mode.objects.select_related("entry_mode").filter(slug=slug).first()
    if mode is None:
        raise NotFound(unknown_mode(slug))
    return mode


MODE = Subject(ConfiguredModeSerializer, get_mode, check_is_for, ConfiguringView, given=lambda mode: mode)
