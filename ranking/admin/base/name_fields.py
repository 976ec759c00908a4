"""Form fields for names by language: a line of text for each language of the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.conf import settings

_NAME = re.compile(r"([a-z]{2,3}(?:-[a-z0-9]{2,8})*):\s*(\S.*)")


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


def names_in_words(words: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Split words such as "de: Silber" from others: returns the others, and names by language.

    Raises ValueError for a language that the site doesn't have.
    """
    others, names = [], {}
    for word in words:
        match = _NAME.fullmatch(word.strip())
        if match is None:
            others.append(word)
            continue
        if match[1] not in dict(settings.LANGUAGES):
            codes = ", ".join(code for code, _ in settings.LANGUAGES)
            raise ValueError(f'"{match[1]}" is no language of the site; these are {codes}.')
        names[match[1]] = match[2].strip()
    return others, names


def words_of_names(names: Mapping[str, str]) -> str:
    """Names by language as `names_in_words` reads them, each after a comma: ", de: Silber"."""
    return "".join(f", {code}: {name}" for code, name in names.items())
