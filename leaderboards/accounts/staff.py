"""Rights of staff: one rule for the admin, for every page and for every template."""

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest


def has_staff_rights(request: HttpRequest) -> bool:
    """True if a member of staff is logged in who, if settings.ADMIN_MFA is on, used a second factor in this session.

    That the account has a second factor doesn't prove who is here. Ask this before any use of `is_staff` or a
    permission outside the admin; the admin itself lets nobody else in.
    """
    user = request.user
    if not (isinstance(user, User) and user.is_active and user.is_staff):
        return False
    return not settings.ADMIN_MFA or any(
        record["method"] == "mfa" for record in get_authentication_records(request, user)
    )


def staff_may(request: HttpRequest, *permissions: str) -> bool:
    """True if a member of staff is here, as above, who has one of these permissions."""
    return has_staff_rights(request) and any(map(request.user.has_perm, permissions))
