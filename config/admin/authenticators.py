"""Second factors: who has one, without its secret. Deleting one lets somebody in who lost theirs."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from config.admin.accounts import AccountAdmin, account_named


@admin.register(Authenticator)
class AuthenticatorAdmin(AccountAdmin[Authenticator]):
    list_display = fields = readonly_fields = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user",)
    search_help_text = "The account’s whole name."

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def title_of(self, row: Authenticator) -> str:
        return f"{row.get_type_display()} of {row.user}"

    def found(self, queryset: QuerySet[Authenticator], term: str) -> QuerySet[Authenticator]:
        return queryset.filter(user=account_named(term))
