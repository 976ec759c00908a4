"""Base classes for the admin pages of accounts and of what belongs to an account."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest

from ranking.admin.base.base import LedgerAdmin

M = TypeVar("M", bound=Model)


class AccountAdmin(LedgerAdmin[M]):
    """Pages of rows that belong to accounts. Only superusers may touch rows of staff.

    Else a member of staff could become a superuser by way of a superuser's account.
    """

    def account_of(self, row: Any) -> User:
        """Return the account that a row belongs to."""
        account: User = row.user
        return account

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # Django's answer, not LedgerAdmin's, which is always no.
        allowed = super(LedgerAdmin, self).has_delete_permission(request, obj)
        return allowed and self._may_touch(request, obj)

    def _may_touch(self, request: HttpRequest, row: object) -> bool:
        if row is None or is_superuser(request):
            return True
        account = self.account_of(row)
        return not (account.is_staff or account.is_superuser)


class CreatedBySiteAdmin(AccountAdmin[M]):
    """Pages of rows that the site creates for an account: people view and delete them, and never add or change them."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


def is_superuser(request: HttpRequest) -> bool:
    """True if the user may give rights to others."""
    return request.user.is_active and request.user.is_superuser


def account_named(term: str) -> int | None:
    """Return the id of the account with exactly this name."""
    return User.objects.filter(username=term).values_list("pk", flat=True).first()
