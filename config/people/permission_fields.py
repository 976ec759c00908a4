"""The form field for permissions: checkboxes, grouped by model. Django's widget of two lists isn't accessible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from django import forms
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.forms.models import ModelChoiceIterator
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from ranking.admin.base.base import RowsField

VERBS = ("view", "add", "change", "delete")


class Ticks(forms.CheckboxSelectMultiple):
    """Checkboxes in a named group; grouped choices become named groups within it."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        return {**super().get_context(name, value, attrs), "label": self.label}

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> SafeString:
        return render_to_string("admin/ticks.html", context)


class _ByModel(ModelChoiceIterator[Permission]):
    def __iter__(self) -> Iterator[Any]:
        for title, permissions in grouped(self.queryset):
            yield title, [self.choice(permission) for permission in permissions]


class PermissionsField(RowsField[Permission]):
    """Offers every permission; the site has about 150."""

    iterator = _ByModel

    def __init__(self) -> None:
        every = Permission.objects.select_related("content_type")
        super().__init__(every, required=False, label="Permissions", widget=Ticks("Permissions"))

    def label_from_instance(self, permission: Any) -> str:
        return wording_of(permission)


def permission_lists(permissions: QuerySet[Permission]) -> SafeString:
    """Return the permissions as text, one line a model."""
    lines = [
        (title, ", ".join(map(wording_of, group)))
        for title, group in grouped(permissions.select_related("content_type"))
    ]
    return format_html_join("", "<div><strong>{}</strong>: {}</div>", lines) or SafeString("–")


def grouped(permissions: Iterable[Permission]) -> Iterator[tuple[str, list[Permission]]]:
    """Yield permissions by model, in alphabetical order; within a model, "view" comes before "change"."""
    titled = sorted((kind_of(each.content_type), _order(each), each.pk, each) for each in permissions)
    for title, rows in groupby(titled, key=lambda row: row[0]):
        yield title, [permission for *_, permission in rows]


def kind_of(kind: ContentType) -> str:
    """Return the app and the model of a content type, such as "Matchmaking: party"."""
    model = kind.model_class()
    if model is None:
        return f"{kind.app_label.capitalize()}: {kind.model}"
    return f"{model._meta.app_config.verbose_name}: {model._meta.verbose_name}"


def wording_of(permission: Permission) -> str:
    """Return a permission's verb; for one of our own permissions, its name without "Can": "Pardon incidents"."""
    verb = permission.codename.removesuffix(f"_{permission.content_type.model}")
    return (verb if verb in VERBS else permission.name.removeprefix("Can ")).capitalize()


def _order(permission: Permission) -> int:
    verb = permission.codename.partition("_")[0]
    plain = permission.codename == f"{verb}_{permission.content_type.model}" and verb in VERBS
    return VERBS.index(verb) if plain else len(VERBS)
