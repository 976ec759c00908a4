"""Form fields for names by language: a line of text for each language of the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings


def name_fields(field: str, label: str, names: Mapping[str, str], *, longest: int = 64) -> dict[str, forms.Field]:
    """Return the fields by their names in the form; `names` are those given so far, by language."""
    return {
        key: forms.CharField(
            label=f"{label} in {language}", max_length=longest, required=False, initial=names.get(code, ""),
            widget=forms.TextInput(attrs={"class": "vTextField", "lang": code}),
            help_text="For readers of the site in this language. Empty: the name itself.",
        )
        for (code, language), key in zip(settings.LANGUAGES, field_names(field), strict=True)
    }  # fmt: skip


def field_names(field: str) -> list[str]:
    return [f"{field}_{code}" for code, _ in settings.LANGUAGES]


def names_from(field: str, cleaned: Mapping[str, Any]) -> dict[str, str]:
    """Return the names that were entered, by language."""
    values = {code: cleaned.get(key, "") for (code, _), key in zip(settings.LANGUAGES, field_names(field), strict=True)}
    return {code: name for code, name in values.items() if name}
