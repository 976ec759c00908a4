"""Settings of a model as JSON: each field has its column's strict type and bounds; the model validates the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.core.exceptions import ValidationError as ModelError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from ranking.api.moderation.authors import StaffActSerializer
from ranking.api.output import OutputSerializer
from ranking.models import Mode
from ranking.modes.parameters import Misfit
from ranking.validation.fields import (
    LARGEST,
    BooleanField,
    ChoiceField,
    IntegerField,
    KeyField,
    NumberField,
    TextField,
    check_printable,
)
from ranking.validation.objects import StrictSerializer

DEEPEST = 20  # lists and objects inside each other


class PlainJSONField(serializers.JSONField):
    """A JSON list or object that any database keeps: printable texts, finite numbers, at most twenty levels."""

    def __init__(self, kind: type[list[Any]] | type[dict[str, Any]], **options: Any) -> None:
        self.kind = kind
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, self.kind):
            sentence = "This must be a list." if self.kind is list else "This must be an object."
            raise serializers.ValidationError(sentence, "type")
        _check_plain(data)
        return data


def _check_plain(value: object, levels: int = DEEPEST) -> None:
    if isinstance(value, list | Mapping) and not levels:
        raise serializers.ValidationError(f"This is nested too deeply; at most {DEEPEST} levels fit.")
    if isinstance(value, str):
        check_printable(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            check_printable(name)
            _check_plain(inner, levels - 1)
    elif isinstance(value, list):
        for inner in value:
            _check_plain(inner, levels - 1)
    elif isinstance(value, int | float) and abs(value) > LARGEST:
        raise serializers.ValidationError("This number is too large.", "range")


def settings_serializers(
    name: str, model: type[models.Model], fields: Iterable[str]
) -> tuple[type[OutputSerializer[Any]], type[StaffActSerializer]]:
    """The answer that holds these fields of a model, and the act that changes some: Configured{name}, {name}Change.

    The model is Mode, or has a `mode`. Rows that its fields lead to are modes, too, and stand as their slugs.
    """
    columns = {field: model._meta.get_field(field) for field in fields}
    about = {"__doc__": "Those left out stay as they are."}
    attributes = {**about, **{field: _field(column) for field, column in columns.items()}}
    settings = type(f"{name}SettingsSerializer", (StrictSerializer,), attributes)
    get = attrgetter(*columns)

    def fill_settings(row: object) -> dict[str, object]:
        values = zip(columns, get(row), strict=True)
        return {field: value.slug if isinstance(value, Mode) else value for field, value in values}

    shown = {
        "mode": serializers.CharField(source="slug" if model is Mode else "mode.slug"),
        "settings": settings(),
        "fill_settings": staticmethod(fill_settings),
    }
    changed = {"__doc__": f"A change of a {name.lower()}'s settings.", "settings": settings()}
    return (
        type(f"Configured{name}Serializer", (OutputSerializer,), shown),
        type(f"{name}ChangeSerializer", (StaffActSerializer,), changed),
    )


def _field(column: Any) -> serializers.Field[Any, Any, Any, Any]:
    more: dict[str, Any] = {"required": False, "allow_null": column.null}
    if isinstance(column, models.ForeignKey):
        return KeyField(max_length=50, **more)
    if isinstance(column, models.BooleanField):
        return BooleanField(**more)
    if column.choices:
        return ChoiceField([value for value, _ in column.choices], **more)
    if isinstance(column, models.IntegerField):
        low, high = _bounds(column)
        return IntegerField(min_value=low, max_value=high, **more)
    if isinstance(column, models.FloatField):
        return NumberField(**more)
    if isinstance(column, models.JSONField):
        return PlainJSONField(list if column.default is list else dict, **more)
    return TextField(max_length=column.max_length, allow_blank=column.blank, **more)


def _bounds(column: models.IntegerField[object, object]) -> tuple[int, int]:
    """The smallest and the largest number that the validators allow and every database's column holds."""
    low, high = BaseDatabaseOperations.integer_field_ranges[column.get_internal_type()]  # SQLite's own are wider
    limits = [(type(each), each.limit_value) for each in column.validators if hasattr(each, "limit_value")]
    least = [limit for kind, limit in limits if kind is MinValueValidator]
    most = [limit for kind, limit in limits if kind is MaxValueValidator]
    return max([low, *least]), min([high, *most])


@contextmanager
def refusals_named() -> Iterator[None]:
    """Raise what the model or a mode's rating system refuses as ValidationError, which names the fields."""
    try:
        yield
    except ModelError as error:
        raise _refusal_of(error) from error
    except Misfit as misfit:
        raise ValidationError({"settings": {misfit.field: [str(misfit)]}}) from misfit


def _refusal_of(error: ModelError) -> ValidationError:
    """What a model refuses, with the path of each field under `settings`."""
    if not hasattr(error, "error_dict"):
        return ValidationError({"settings": error.messages})
    sentences = {
        name: [ErrorDetail(sentence, fault.code or "invalid") for fault in faults for sentence in fault.messages]
        for name, faults in error.error_dict.items()
        if name != NON_FIELD_ERRORS
    }
    return ValidationError({"settings": sentences or error.messages})
