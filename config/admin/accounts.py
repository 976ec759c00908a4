"""What the pages of accounts, and of what belongs to one, have in common."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest

from ranking.admin.base.base import LedgerAdmin

M = TypeVar("M", bound=Model)


class AccountAdmin(LedgerAdmin[M]):
    """Quick lists; who isn't a superuser leaves accounts of staff alone, lest they make themselves one by them."""

    def account_of(self, row: Any) -> User:
        """Whose row this is."""
        account: User = row.user
        return account

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and self._may_touch(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # Django's answer: the ledger's, which this passes over, is no.
        allowed = super(LedgerAdmin, self).has_delete_permission(request, obj)
        return allowed and self._may_touch(request, obj)

    def _may_touch(self, request: HttpRequest, row: Any) -> bool:
        if row is None or is_superuser(request):
            return True
        account = self.account_of(row)
        return not (account.is_staff or account.is_superuser)


class CreatedBySiteAdmin(AccountAdmin[M]):
    """What the site makes for an account: looked at and deleted, never added or changed by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def is_superuser(request: HttpRequest) -> bool:
    """Whether somebody asks who may give rights."""
    return request.user.is_active and request.user.is_superuser


def account_named(term: str) -> int | None:
    """The number of the account that is called exactly so."""
    return User.objects.filter(username=term).values_list("pk", flat=True).first()
