"""The form field for permissions: checkboxes of acts in the product's words, grouped by subject (rights.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from config.people.rights import RIGHTS, SECTIONS, beside, held_by_section, held_rights, permissions_of

BESIDE = "Rights beside these, which stay until you untick them"


class Ticks(forms.CheckboxSelectMultiple):
    """Checkboxes in a named group; grouped choices become named groups within it."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, object]:
        return {**super().get_context(name, value, attrs), "label": self.label}

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> SafeString:
        return render_to_string("admin/ticks.html", context)


class RightTicks(Ticks):
    """A checkbox for each act, and for each right that somebody has beside the acts of the table."""

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, object]:
        acts = [(section, [(right.key, right.words) for right in rights]) for section, rights in SECTIONS.items()]
        others = [each for each in value or () if each not in RIGHTS]
        self.choices = [*acts, *([(BESIDE, [(each, wording_of(each)) for each in others])] if others else [])]
        return super().get_context(name, value, attrs)


class PermissionsField(forms.Field):
    """Offers acts. Its value is permissions; in the form, each is the key of an act, or its own name "app.codename".

    Permissions that aren't in the table, or are a part of an act only, are shown as well if somebody has them, so that
    saving takes nothing that wasn't unticked.
    """

    def __init__(self) -> None:
        super().__init__(required=False, label="Permissions", widget=RightTicks("Permissions"))
        self.queryset = Permission.objects.all()  # Django's form of accounts asks for it

    def prepare_value(self, value: Any) -> list[str]:
        """Return what the form shows as ticked: of permissions, or of what was sent."""
        if value is None or all(isinstance(each, str) for each in value):
            return list(value or ())
        names = names_of(value)
        return [*(key for key in RIGHTS if key in held_rights(names)), *beside(names)]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return set(self.prepare_value(initial)) != set(data or ())

    def clean(self, value: Any) -> QuerySet[Permission]:
        """Return the permissions of the ticked lines. Raises ValidationError for what is no line and no permission."""
        sent = {each.replace("\0", " ") for each in value or ()}  # PostgreSQL takes no such letter
        names = permissions_of(sent & RIGHTS.keys()) | (sent - RIGHTS.keys())
        found = find_permissions(names)
        if unknown := sorted(names - names_of(found)):
            raise ValidationError(f"There is no right “{unknown[0][:100]}”.", "unknown")
        return found


def find_permissions(names: Iterable[str]) -> QuerySet[Permission]:
    """The permissions with these names, such as "ranking.add_ban"."""
    which = Q(pk__in=[])
    for name in names:
        app, _, codename = name.partition(".")
        which |= Q(content_type__app_label=app, codename=codename)
    return Permission.objects.filter(which).select_related("content_type")


def names_of(permissions: Iterable[Permission]) -> set[str]:
    """Their names, such as "ranking.add_ban"."""
    kinds = ContentType.objects
    return {f"{kinds.get_for_id(each.content_type_id).app_label}.{each.codename}" for each in permissions}


def permission_lists(permissions: QuerySet[Permission]) -> SafeString:
    """Return the permissions as text, one line a subject."""
    names = names_of(permissions)
    lines = [(section, ", ".join(right.words for right in rights)) for section, rights in held_by_section(names)]
    if others := beside(names):
        lines.append(("Others", ", ".join(map(wording_of, others))))
    return format_html_join("", "<div><strong>{}</strong>: {}</div>", lines) or SafeString("–")


def wording_of(name: str) -> str:
    """Return a permission that is no line in words: of ranking.delete_key "Ranking: delete key"."""
    app, _, codename = name.partition(".")
    return f"{app.capitalize()}: {codename.replace('_', ' ')}"
