"""Strict serializer fields: JSON's own types with limits; each fault is a sentence.

Each field validates in one step, where DRF takes five, because a result has a hundred fields. The limits are passed
to DRF, too, so the schema shows them.
"""

import datetime as dt
import math
import re
import unicodedata
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from ranking.rules.names import LONGEST, BadName, check_name

LARGEST = 1e12  # of any number
_TIMESTAMP = re.compile(r"(\d{4})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?", re.ASCII)
YEARS = range(1500, 9000)  # that a time may have


class OneStepField(serializers.Field[Any, Any, Any, Any]):
    """A field that validates in one step: DRF decides about absence and null, `to_internal_value` does the rest."""

    def run_validation(self, data: Any = empty) -> Any:
        is_empty, value = self.validate_empty_values(data)
        return value if is_empty else self.to_internal_value(data)


def check_printable(text: str) -> None:
    """Refuse control characters, invisible characters, lone surrogates and unassigned code points."""
    if text.isprintable():
        return
    for character in text:
        if not character.isprintable() and unicodedata.category(character) != "Zs":
            raise serializers.ValidationError(f"This can't hold the character U+{ord(character):04X}.", "format")


class TextField(OneStepField, serializers.CharField):
    """A string of printable characters; spaces around it are dropped. A number is refused, not converted."""

    def check_characters(self, text: str) -> None:
        check_printable(text)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("This must be a string.", "type")
        self.check_characters(data)
        text = data.strip()
        if not text and not self.allow_blank:
            raise serializers.ValidationError("This can't be empty.", "empty")
        if self.max_length is not None and len(text) > self.max_length:
            sentence = f"This has {len(text):,} characters; at most {self.max_length:,} fit."
            raise serializers.ValidationError(sentence, "length")
        return text


class ProseField(TextField):
    """A text that people read: a TextField that may have several lines. A line ends with \\n; \\r\\n becomes \\n."""

    def check_characters(self, text: str) -> None:
        super().check_characters(text.replace("\n", " "))

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data.replace("\r\n", "\n") if isinstance(data, str) else data)


class KeyField(TextField):
    """A string that identifies something: spaces around it are refused, not dropped."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if text != data:
            raise serializers.ValidationError("This can't begin or end with a space.", "format")
        if text in (".", ".."):
            raise serializers.ValidationError("This can't be '.' or '..', which no address can hold.", "format")
        return text


class PlayerKeyField(KeyField):
    """The game's key for a player who is created if unknown: "me" in an address of the API is whoever calls."""

    def to_internal_value(self, data: Any) -> str:
        key = super().to_internal_value(data)
        if key == "me" or key.startswith("me/"):
            sentence = f"No player can have the key {key!r}: /players/me/ is the address of the player who calls."
            raise serializers.ValidationError(sentence, "format")
        return key


@extend_schema_field({"type": "string", "minLength": 1, "maxLength": LONGEST})
class NameField(TextField):
    """A player's name."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        try:
            check_name(name)
        except BadName as error:
            raise serializers.ValidationError(str(error), "format") from error
        return name


def _check_bounds(number: float, least: float | None, most: float | None) -> None:
    if least is not None and number < least:
        raise serializers.ValidationError(f"This must be at least {least:,g}.", "range")
    if most is not None and number > most:
        raise serializers.ValidationError(f"This must be at most {most:,.0f}.", "range")


class NumberField(OneStepField, serializers.FloatField):
    """A finite JSON number."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("This must be a number.", "type")
        if not -LARGEST <= data <= LARGEST:
            raise serializers.ValidationError("This number is too large.", "range")
        _check_bounds(data, self.min_value, self.max_value)
        return float(data) + 0.0  # turns −0.0 into 0.0


class IntegerField(OneStepField, serializers.IntegerField):
    """A JSON integer."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            if isinstance(data, float) and math.isinf(data):
                raise serializers.ValidationError("This number is too large.", "range")
            raise serializers.ValidationError("This must be a whole number.", "type")
        _check_bounds(data, self.min_value, self.max_value)
        return data


class ChoiceField(OneStepField, serializers.ChoiceField):
    """One of some strings. What is refused isn't repeated: it may be long, nested, or text that no answer can hold."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("This must be a string.", "type")
        if data not in self.choices:
            raise serializers.ValidationError(f"This must be one of {', '.join(self.choices)}.", "choice")
        return data


class BooleanField(OneStepField, serializers.BooleanField):
    """A JSON true or false."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("This must be true or false.", "type")
        return data


class TimestampField(OneStepField, serializers.DateTimeField):
    """An ISO 8601 time with its offset, as UTC."""

    def to_internal_value(self, value: Any) -> dt.datetime:
        match = _TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise serializers.ValidationError('This must be a time such as "2026-01-31T18:00:00Z".', "format")
        if not match[4]:
            sentence = 'This time needs its offset: "Z" for UTC, or such as "+02:00".'
            raise serializers.ValidationError(sentence, "format")
        if int(match[1]) not in YEARS:
            raise serializers.ValidationError(f"The year must be from {YEARS[0]} to {YEARS[-1]}.", "range")
        try:
            return dt.datetime.fromisoformat(value).astimezone(dt.UTC)
        except ValueError as error:
            raise serializers.ValidationError(f"There is no such time: {error}.", "format") from error
