"""Forms of accounts that tell nobody whether an address has an account.

A sign-up with an address that another account has is made like any other, name and password included; the address
belongs to whoever confirms it. The mail to the address says that it has an account (config/people/accounts.py).
"""

from allauth.account import forms
from django.contrib.auth.models import User

MOST_ACCOUNTS = 5  # with one unconfirmed address that get a mail at once: the oldest


class SignupForm(forms.SignupForm):
    def validate_unique_email(self, value: str) -> str:
        return value


class ResetPasswordForm(forms.ResetPasswordForm):
    users: list[User]

    def clean_email(self) -> str:
        email: str = super().clean_email()
        self.users = sorted(self.users, key=lambda user: user.pk)[:MOST_ACCOUNTS]
        return email
