"""Admin pages of groups, which are our roles (docs/moderating.md). Only superusers change what a role may do."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Field, QuerySet
from django.http import HttpRequest

from config.admin.accounts import is_superuser
from config.admin.permission_fields import PermissionsField, permission_lists
from ranking.admin.base.base import LedgerAdmin


@admin.register(Group)
class GroupAdmin(LedgerAdmin[Group]):
    audit_name = "role"
    ordering = ("name",)
    search_fields = ("name",)
    search_help_text = "Part of the name."

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("name", "permissions" if is_superuser(request) else "may")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if is_superuser(request) else ("name", "may")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "permissions":
            return PermissionsField()
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def audit_subject(self, row: Group) -> str:
        return f"role {row.name}"

    def search_rows(self, queryset: QuerySet[Group], term: str) -> QuerySet[Group]:
        return queryset.filter(name__icontains=term)  # without an index: a site has a handful of groups

    @admin.display(description="Permissions")
    def may(self, group: Group) -> str:
        return permission_lists(group.permissions.all())
