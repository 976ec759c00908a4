"""Log-in of staff by an OpenID Connect provider: which roles it gives, and whether it was with a second factor.

The provider's word is taken for roles only as the settings map them. It never links accounts: who comes by it for the
first time gets a new account, and an address that another account has confirmed stays with that account.
Source of `amr`: RFC 8176.
"""

from typing import Any

import structlog
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from leaderboards.accounts.providers import OIDC
from leaderboards.accounts.staff import ROLES_BY_PROVIDER
from ranking.operations.audit import record_act

log = structlog.get_logger(__name__)


def is_by_oidc(sociallogin: SocialLogin | None) -> bool:
    return sociallogin is not None and sociallogin.account.provider == OIDC


def check_subjects(sociallogin: SocialLogin) -> None:
    """Raise PermissionDenied if the two answers of the provider are about two people (OpenID Connect Core, 5.3.2)."""
    data = sociallogin.account.extra_data
    if "id_token" not in data or data["id_token"].get("sub") != data.get("userinfo", data["id_token"]).get("sub"):
        raise PermissionDenied("The provider's ID token and its user info differ.")


def keep_free_addresses(sociallogin: SocialLogin) -> None:
    """Drop each address that the provider hasn't confirmed, and each that another account has confirmed."""
    given = [address for address in sociallogin.email_addresses if address.verified is True]
    taken = EmailAddress.objects.filter(email__in=[address.email.lower() for address in given], verified=True)
    others = set(taken.values_list("email", flat=True))
    sociallogin.email_addresses = [address for address in given if address.email.lower() not in others]
    sociallogin.user.email = sociallogin.email_addresses[0].email if sociallogin.email_addresses else ""


def follow_provider(request: HttpRequest, user: User, sociallogin: SocialLogin) -> None:
    """After a log-in: give the account the roles that the provider names, and count its second factor if it had one."""
    data = sociallogin.account.extra_data
    claims = {**data.get("userinfo", {}), **data["id_token"]}
    if settings.OIDC_ROLES:
        if settings.OIDC_CLAIM not in claims:  # a fault of the settings looks like a dismissal
            log.warning("oidc_claim_missing", claim=settings.OIDC_CLAIM, given=sorted(claims))
        set_roles(user, roles_of(claims), reason="OpenID Connect named these roles at a log-in.")
        record_authentication(request, user, ROLES_BY_PROVIDER)
    if settings.OIDC_MFA or "mfa" in _texts(claims.get("amr")):
        record_authentication(request, user, "mfa", type="oidc")


def take_roles(account: SocialAccount) -> None:
    """Before a connection to the provider is deleted: take the roles that came with it."""
    if settings.OIDC_ROLES and account.provider == OIDC:
        set_roles(account.user, set(), reason="The account was disconnected from OpenID Connect.")


def roles_of(claims: dict[str, object]) -> set[str]:
    groups = _texts(claims.get(settings.OIDC_CLAIM))
    return {role for group, role in settings.OIDC_ROLES.items() if group in groups}


def _texts(value: Any) -> set[str]:
    """A claim as texts: providers send a list, or one text."""
    values = value if isinstance(value, list) else [value]
    return {text for text in values if isinstance(text, str)}


@transaction.atomic
def set_roles(user: User, roles: set[str], *, reason: str) -> None:
    """Give an account these roles and take all others; without one it is no member of staff. The audit log notes it.

    Superusers, whom only the console makes, stay as they are. An account that was disconnected during its log-in gets
    no role, because no later log-in could take it.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_superuser:
        return
    if not SocialAccount.objects.filter(user=user, provider=OIDC).exists():
        roles = set()
    groups = Group.objects.filter(name__in=settings.ROLES)
    had = _rights(user)
    user.groups.remove(*groups.exclude(name__in=roles))
    user.groups.add(*groups.filter(name__in=roles))
    if user.is_staff != bool(roles):
        user.is_staff = bool(roles)
        user.save(update_fields=["is_staff"])
    if (has := _rights(user)) != had:
        subject = f"account {user.pk}: {had or 'none'} → {has or 'none'}"
        record_act("change roles", subject, by=None, reason=reason, now=timezone.now())


def _rights(user: User) -> str:
    """The account's roles in words, "staff" first if it is a member of staff."""
    roles = user.groups.filter(name__in=settings.ROLES).order_by("name").values_list("name", flat=True)
    return ", ".join([*(["staff"] if user.is_staff else []), *roles])
