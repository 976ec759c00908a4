"""Admin pages of groups, which are our roles (docs/moderating.md). Only superusers change what a role may do."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Field, QuerySet
from django.http import HttpRequest

from config.admin.accounts import is_superuser
from config.people.permission_fields import PermissionsField, Ticks, permission_lists
from ranking.admin.base.base import LedgerAdmin
from ranking.models import BanLimit
from ranking.rules.ban_lengths import LONGEST_HOURS, WHOLE_HOURS, length_of, length_words

LIMITS = ("longest_ban", "bans_from")
PLACES = {"from_queues": "Queues", "from_boards": "Boards"}


class GroupForm(forms.ModelForm[Group]):
    """A group, and how long its members may ban."""

    longest_ban = forms.IntegerField(
        min_value=1,
        max_value=LONGEST_HOURS,
        required=False,
        label="Longest ban, in hours",
        help_text="24 is a day, 720 are 30 days. Empty: no limit. All bans of a player count together.",
        error_messages={"invalid": WHOLE_HOURS},
    )
    bans_from = forms.MultipleChoiceField(
        choices=list(PLACES.items()),
        widget=Ticks("May ban from"),
        label="May ban from",
        error_messages={"required": "Choose at least one; whether the role bans at all, its permissions say."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limit = limit_of(self.instance)
        self.initial["longest_ban"] = limit.hours
        self.initial["bans_from"] = [place for place in PLACES if getattr(limit, place)]

    def save_limit(self) -> None:
        hours, places = self.cleaned_data["longest_ban"], self.cleaned_data["bans_from"]
        allowed = {place: place in places for place in PLACES}
        if hours is None and all(allowed.values()):
            BanLimit.objects.filter(group=self.instance).delete()
        else:
            BanLimit.objects.update_or_create(group=self.instance, defaults={"hours": hours, **allowed})


def limit_of(group: Group) -> BanLimit:
    """The group's limit; one that limits nothing if there is none."""
    return BanLimit.objects.filter(group=group.pk).first() or BanLimit(group_id=group.pk)


def limit_text(limit: BanLimit) -> str:
    """A limit in words, such as "from queues for 1 day"."""
    places = [words.lower() for place, words in PLACES.items() if getattr(limit, place)]
    length = "for any time" if limit.hours is None else length_words(length_of(None, limit.hours))
    return f"from {' and '.join(places)} {length}"


@admin.register(Group)
class GroupAdmin(LedgerAdmin[Group]):
    form = GroupForm
    audit_name = "role"
    ordering = ("name",)
    search_fields = ("name",)
    search_help_text = "Part of the name."

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("name", *LIMITS, "permissions") if is_superuser(request) else ("name", "bans", "may")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if is_superuser(request) else ("name", "bans", "may")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        form.save_limit()
        super().save_related(request, form, formsets, change)

    def audit_state(self, request: HttpRequest, row: Any, added: bool) -> dict[str, object]:
        return {**super().audit_state(request, row, added), "longest ban": limit_text(limit_of(row))}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return is_superuser(request)

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "permissions":
            return PermissionsField()
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def audit_subject(self, row: Group) -> str:
        return f"role {row.name}"

    def search_rows(self, queryset: QuerySet[Group], term: str) -> QuerySet[Group]:
        return queryset.filter(name__icontains=term)  # without an index: a site has a handful of groups

    @admin.display(description="Longest ban")
    def bans(self, group: Group) -> str:
        bans = group.permissions.filter(codename__in=("add_ban", "extend_ban")).exists()
        return limit_text(limit_of(group)) if bans else "–"

    @admin.display(description="Permissions")
    def may(self, group: Group) -> str:
        return permission_lists(group.permissions.all())
