"""Forms of accounts: none tells whether an address has an account, and no code of a second factor works twice.

A sign-up with an address that another account has is made like any other, name and password included; the address
belongs to whoever confirms it. The mail to the address says that it has an account (config/people/accounts.py).
"""

from typing import Any

from allauth.account import forms
from allauth.account.internal.userkit import filter_users_by_email
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as mfa_forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.utils.translation import gettext_lazy as _

from leaderboards.accounts.signup import domains_text

MOST_ACCOUNTS = 5  # with one unconfirmed address that get a mail at once: the oldest


class SignupForm(forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("You log in with it. Boards show your player’s name, from the game.")
        if settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
            self.fields["email"].help_text = _("You get a mail with a link that confirms it.")
        if settings.SIGNUP_DOMAINS:
            sentence = _("It has to be at %(domains)s. You get a mail with a link that confirms it.")
            self.fields["email"].help_text = sentence % {"domains": domains_text()}

    def validate_unique_email(self, value: str) -> str:
        return value


class ResetPasswordForm(forms.ResetPasswordForm):
    users: list[User]

    def clean_email(self) -> str:
        """Find the accounts; the address may be of a domain that new accounts can't have."""
        email: str = self.cleaned_data["email"]
        found = filter_users_by_email(email.lower(), is_active=True, prefer_verified=True, for_login=True)
        self.users = sorted(found, key=lambda user: user.pk)[:MOST_ACCOUNTS]
        return email


class _OnceForm(mfa_forms.BaseAuthenticateForm):
    """Refuses a code that the account has used.

    The library forgets an app's code after a period, but lets it in MFA_TOTP_TOLERANCE periods early or late.
    """

    def clean_code(self) -> str:
        code: str = super().clean_code()
        key = f"second-factor-used:{self.user.pk}:{normalize_user_code(code)}"
        if not cache.add(key, True, timeout=settings.MFA_TOTP_PERIOD * (2 * settings.MFA_TOTP_TOLERANCE + 1)):
            raise get_adapter().validation_error("incorrect_code")
        return code


class AuthenticateForm(_OnceForm, mfa_forms.AuthenticateForm):
    """The code that completes a log-in."""


class ReauthenticateForm(_OnceForm, mfa_forms.ReauthenticateForm):
    """The code before an act that wants a fresh one."""
