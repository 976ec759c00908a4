"""The field of names by language, which studios give beside a plain name."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.lookups import Exact

from ranking.database.json_types import JSONType
from ranking.wording.names import read_names

LONGEST = 64


def check_names(value: Any) -> None:
    try:
        read_names(value, LONGEST)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def names_field() -> Any:
    """Return a field such as {"de": "Liga"}; empty: the plain name in every language."""
    return models.JSONField(default=dict, db_default={}, blank=True, validators=[check_names])


def is_object(field: str) -> Exact:
    """The condition that a field holds a JSON object."""
    return Exact(JSONType(models.F(field)), "object")
