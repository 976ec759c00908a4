"""Admin pages of accounts' email addresses. Staff verify an address by hand if our mail doesn't reach its owner."""

from __future__ import annotations

from typing import Any

from allauth.account.admin import EmailAddressAdmin as StockAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from config.admin.accounts import AccountAdmin, account_named, is_superuser
from ranking.operations.row_changes import change_texts


@admin.register(EmailAddress)
class EmailAddressAdmin(AccountAdmin[EmailAddress]):
    audit_name = "address"
    audit_hidden = ("email",)
    list_display = ("email", "user", "primary", "verified")
    list_select_related = ("user",)
    list_filter = ("primary", "verified")
    search_fields = ("email", "user")
    search_help_text = "The whole address, or the account’s whole name."
    fields = ("user", "email", "verified", "primary")
    autocomplete_fields = ("user",)
    actions = ("make_verified",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("user",) if obj else ()

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if not is_superuser(request):  # a password is reset by an address
            kwargs["queryset"] = User.objects.filter(is_staff=False, is_superuser=False)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def audit_subject(self, row: EmailAddress) -> str:
        return f"address {row.pk} of account {row.user_id}"

    def search_rows(self, queryset: QuerySet[EmailAddress], term: str) -> QuerySet[EmailAddress]:
        return queryset.filter(Q(email=term.lower()) | Q(user=account_named(term)))

    @admin.action(description="Mark as verified", permissions=["change"])
    def make_verified(self, request: HttpRequest, addresses: QuerySet[EmailAddress]) -> None:
        rows = addresses.filter(verified=False).select_related("user")
        numbers = [row.pk for row in rows if self.has_change_permission(request, row)]
        with transaction.atomic():
            StockAdmin.make_verified(self, request, EmailAddress.objects.filter(pk__in=numbers))
            for row in EmailAddress.objects.filter(pk__in=numbers, verified=True):
                self.record_changes(
                    request, "change address", row, change_texts({"verified": False}, {"verified": True})
                )
