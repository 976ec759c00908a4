"""Admin pages of second factors: who has one, without its secret. Staff delete the factor of somebody who lost it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.db.models import QuerySet

from config.admin.accounts import CreatedBySiteAdmin, account_named


@admin.register(Authenticator)
class AuthenticatorAdmin(CreatedBySiteAdmin[Authenticator]):
    audit_name = "second factor"
    list_display = fields = readonly_fields = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user",)
    search_help_text = "The account’s whole name."

    def title_of(self, row: Authenticator) -> str:
        return f"{row.get_type_display()} of {row.user}"

    def audit_subject(self, row: Authenticator) -> str:
        return f"second factor of account {row.user_id}: {row.get_type_display()}"

    def search_rows(self, queryset: QuerySet[Authenticator], term: str) -> QuerySet[Authenticator]:
        return queryset.filter(user=account_named(term))
