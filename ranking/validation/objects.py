"""Strict serializers of JSON objects and lists."""

import heapq
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import empty

from ranking.rules.nearest import find_nearest
from ranking.validation.fields import LARGEST, NumberField, OneStepField, TextField
from ranking.validation.problems import MOST_ERRORS

LONGEST_MATCH = 30 * 86_400  # seconds
MOST_STATS = 64
LONGEST_STAT = 64
_MISSPELT = 2  # of more unknown fields of an object none is taken for a slip: comparing names takes time


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer of a JSON object that refuses unknown fields instead of dropping them.

    Optional fields that are absent are skipped, where DRF takes four steps for each.
    """

    kind = "field"

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, Mapping):
            sentence = ErrorDetail("This must be an object.", "type")
            raise serializers.ValidationError({"non_field_errors": [sentence]})
        values: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for name, field, runs_if_absent in self._steps:
            if runs_if_absent or name in data:
                try:
                    values[name] = field.run_validation(data.get(name, empty))
                except serializers.ValidationError as error:
                    errors[name] = error.detail
        if unknown := data.keys() - self.fields.keys():
            errors |= self._objections([str(name) for name in heapq.nsmallest(MOST_ERRORS, unknown)])
        if errors:
            raise serializers.ValidationError(errors)
        return values

    def _objections(self, names: list[str]) -> dict[str, list[ErrorDetail]]:
        """Why there are no such fields, with all known ones; of few unknown ones with those that are nearest."""
        known, start = ", ".join(self.fields), f"There is no such {self.kind} here;"
        plain = f"{start} known are {known}." if known else f"This takes no {self.kind}s."
        sentences = {name: ErrorDetail(plain, "unknown") for name in names}
        if known and len(names) <= _MISSPELT:
            for name in names:
                if nearest := find_nearest(name, self.fields):
                    sentences[name] = ErrorDetail(f"{start} did you mean {nearest!r}? Known are {known}.", "unknown")
        return {name: [sentence] for name, sentence in sentences.items()}

    @cached_property
    def _steps(self) -> list[tuple[str, Any, bool]]:
        """Return the fields, and for each if it must be validated even when it is absent."""
        return [(name, field, field.required or field.default is not empty) for name, field in self.fields.items()]


_LIST_SENTENCES: dict[str, Any] = {
    "not_a_list": "This must be a list.",
    "empty": "This list can't be empty.",
    "max_length": "At most {max_length} fit.",
}


def list_of(
    serializer: type[serializers.Serializer[Any]], *, most: int, allow_empty: bool = False
) -> serializers.ListSerializer[Any]:
    """Return a field for a list of one to `most` such objects; `allow_empty`: of none, too."""
    limits: dict[str, Any] = {"allow_empty": allow_empty, "max_length": most}
    field = serializer(many=True, error_messages=_LIST_SENTENCES, **limits)
    assert isinstance(field, serializers.ListSerializer)  # noqa: S101 - the stubs don't know it
    return field


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}, "maxProperties": MOST_STATS})
class StatsField(OneStepField, serializers.DictField):
    """Numbers by name."""

    child = NumberField()
    _name = TextField(max_length=LONGEST_STAT)

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError("This must be an object.", "type")
        if len(data) > MOST_STATS:
            sentence = f"At most {MOST_STATS} numbers a player; these are {len(data):,}."
            raise serializers.ValidationError(sentence, "length")
        for name in data:
            _check_stat_name(name)
        errors, stats = {}, {}
        for name, number in data.items():
            if type(number) in (int, float) and -LARGEST <= number <= LARGEST:  # a large bulk has 72,000 of them
                stats[name] = float(number) + 0.0
                continue
            try:
                stats[name] = self.child.run_validation(number)
            except serializers.ValidationError as error:
                errors[name] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return stats


@lru_cache(maxsize=4_096)  # players of a game have the same stats
def _check_stat_name(name: str) -> None:
    StatsField._name.to_internal_value(name)


class BoundedListField(OneStepField, serializers.ListField):
    """A list that is refused by its length before its items are read."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise serializers.ValidationError(_LIST_SENTENCES["not_a_list"], "type")
        if self.max_length is not None and len(data) > self.max_length:
            sentence = f"At most {self.max_length:,} fit; these are {len(data):,}."
            raise serializers.ValidationError(sentence, "length")
        if len(data) < (self.min_length or 0):
            sentence = f"Send at least {self.min_length}; these are {len(data)}."
            raise serializers.ValidationError(sentence, "length")
        values: list[Any] = []
        errors: dict[Any, Any] = {}
        for index, item in enumerate(data):
            try:
                values.append(self.child.run_validation(item))
            except serializers.ValidationError as error:
                errors[index] = error.detail
        if errors:
            raise serializers.ValidationError(errors)
        return values


class AbsenceField(BoundedListField):
    """[from, to] in seconds since the start."""

    child = NumberField(min_value=0, max_value=LONGEST_MATCH)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, **options)
