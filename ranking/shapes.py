"""Strict objects and lists of what clients send."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ranking.fields import NumberField, OneStep, TextField

LONGEST_MATCH = 30 * 86_400  # seconds
MOST_STATS = 64
LONGEST_STAT = 64


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses fields it doesn't know instead of dropping them."""

    kind = "field"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError({"non_field_errors": ["This must be an object."]})
        unknown = data.keys() - self.fields.keys()
        if not unknown:
            return super().to_internal_value(data)
        errors: dict[str, Any] = {}
        try:
            super().to_internal_value(data)
        except serializers.ValidationError as error:
            errors.update(error.detail)  # type: ignore[arg-type]
        known = f"known are {', '.join(self.fields)}" if self.fields else "there is none"
        sentence = f"There is no such {self.kind} here; {known}."
        raise serializers.ValidationError({**errors, **{str(name): [sentence] for name in sorted(unknown)}})


def list_of(serializer: type[serializers.Serializer[Any]], *, most: int) -> serializers.ListSerializer[Any]:
    """A field of one to so many of these."""
    several = serializer(many=True, allow_empty=False, max_length=most)  # type: ignore[call-arg]
    assert isinstance(several, serializers.ListSerializer)  # noqa: S101 - which the stubs don't know
    return several


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}, "maxProperties": MOST_STATS})
class StatsField(OneStep, serializers.DictField):
    """Numbers by name."""

    child = NumberField()
    _name = TextField(max_length=LONGEST_STAT)

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("This must be an object.")
        if len(data) > MOST_STATS:
            raise serializers.ValidationError(f"At most {MOST_STATS} numbers a player; these are {len(data):,}.")
        for name in data:
            self._name.to_internal_value(name)
        errors, stats = {}, {}
        for name, number in data.items():
            try:
                stats[name] = self.child.run_validation(number)
            except serializers.ValidationError as error:
                errors[name] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return stats


class AbsenceField(serializers.ListField):
    """[from, to] in seconds since the start."""

    child = NumberField(min_value=0, max_value=LONGEST_MATCH)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, **options)
