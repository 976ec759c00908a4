"""Bans of players, and what ends them earlier or later."""

from __future__ import annotations

import math
from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail

from ranking.api.moderation.authors import Act, ActSerializer
from ranking.api.moderation.calls import Subject, getter_of
from ranking.api.output import OutputSerializer
from ranking.models import Ban
from ranking.rules.ban_lengths import (
    LONGEST_DAYS,
    LONGEST_HOURS,
    NOT_BOTH,
    ONE_OF_BOTH,
    WHOLE_DAYS,
    WHOLE_HOURS,
    length_of,
)
from ranking.validation.fields import ChoiceField, IntegerField

SCOPES = tuple(scope for scope, _ in Ban.SCOPES)
BANS = Ban.objects.select_related("player", "by", "lifted_by")


class BanSerializer(OutputSerializer[Ban]):
    first = ("number", "player", "running", "by", "lifted_by")

    number = serializers.IntegerField(source="pk")
    player = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    scope = serializers.ChoiceField(SCOPES)
    running = serializers.BooleanField(help_text="It holds now.")
    reason = serializers.CharField(help_text="The player reads it.")
    note = serializers.CharField(allow_blank=True, help_text="For moderators only.")
    by = serializers.CharField(
        source="by.username", allow_null=True, help_text="The login name of who banned; null: the system."
    )
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True, help_text="Null: for good.")
    lifted_at = serializers.DateTimeField(allow_null=True)
    lifted_by = serializers.CharField(source="lifted_by.username", allow_null=True)
    lift_reason = serializers.CharField(allow_blank=True)
    lift_note = serializers.CharField(allow_blank=True)

    @staticmethod
    def fill_running(ban: Ban) -> bool:
        return ban.runs(timezone.now())


BAN = Subject(BanSerializer, getter_of(BANS, "ban"))


class LengthField(IntegerField):
    """A whole number of days or hours. `whole`: the sentence for one who sends a fraction."""

    def __init__(self, whole: str, **kwargs: Any) -> None:
        super().__init__(min_value=1, required=False, allow_null=True, **kwargs)
        self.whole = whole

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, float) and math.isfinite(data):
            raise serializers.ValidationError(self.whole, "type")
        return super().to_internal_value(data)


class LengthSerializer(ActSerializer):
    """An act with the time until the ban ends. `needs_length`: null or left out isn't "until it is lifted"."""

    needs_length = False

    days = LengthField(WHOLE_DAYS, max_value=LONGEST_DAYS, help_text="How long, from now on.")
    hours = LengthField(WHOLE_HOURS, max_value=LONGEST_HOURS, help_text="How long, from now on, instead of `days`.")

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        given = [name for name in ("days", "hours") if attrs.get(name) is not None]
        if len(given) > 1:
            raise serializers.ValidationError({"hours": [NOT_BOTH]})
        if self.needs_length and not given:
            raise serializers.ValidationError({"days": [ErrorDetail(ONE_OF_BOTH, "required")]})
        return attrs

    @staticmethod
    def arguments(act: Act) -> dict[str, Any]:
        values = ActSerializer.arguments(act)
        length = length_of(values.pop("days", None), values.pop("hours", None))
        return {**values, "ends_at": None if length is None else act.now + length}


class ExtendSerializer(LengthSerializer):
    """Without `days` and `hours`: until it is lifted."""


class ShortenSerializer(LengthSerializer):
    """It takes `days` or `hours`."""

    needs_length = True


class NewBanSerializer(ExtendSerializer):
    """Without `days` and `hours`: until it is lifted."""

    scope = ChoiceField(SCOPES, help_text="What the player is banned from.")
