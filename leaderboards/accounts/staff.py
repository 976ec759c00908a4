"""Rights of staff: one rule for the admin, for every page and for every template."""

from allauth.account.authentication import get_authentication_records
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest

from leaderboards.accounts.providers import OIDC

ROLES_BY_PROVIDER = "roles_by_provider"  # the record of a session in which the provider named the account's roles


def has_staff_rights(request: HttpRequest) -> bool:
    """True if a member of staff is logged in who, if settings.ADMIN_MFA is on, used a second factor in this session.

    That the account has a second factor doesn't prove who is here. Ask this before any use of `is_staff` or a
    permission outside the admin; the admin itself lets nobody else in.
    """
    user = request.user
    if not (isinstance(user, User) and user.is_active and user.is_staff):
        return False
    if settings.ADMIN_MFA and not any(
        record["method"] == "mfa" for record in get_authentication_records(request, user)
    ):
        return False
    return not wants_provider(request, user)


def wants_provider(request: HttpRequest, user: User) -> bool:
    """True if a provider decides about this account's roles, and this session didn't come by it.

    So nobody whom the provider lets in no more keeps staff rights by a password. That somebody came by the provider
    isn't enough: the log-in may have stopped before the second factor, and its roles weren't read then.
    """
    if not settings.OIDC_ROLES or user.is_superuser:
        return False
    if any(record["method"] == ROLES_BY_PROVIDER for record in get_authentication_records(request, user)):
        return False
    return bool(SocialAccount.objects.filter(user=user, provider=OIDC).exists())


def staff_may(request: HttpRequest, *permissions: str) -> bool:
    """True if a member of staff is here, as above, who has one of these permissions."""
    return has_staff_rights(request) and any(map(request.user.has_perm, permissions))
