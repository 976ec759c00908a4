"""The log-in by password: by name, or by an address that its owner confirmed."""

from functools import cache
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.userkit import get_user_by_username
from allauth.account.models import EmailAddress
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db.models import BigIntegerField
from django.http import HttpRequest

from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models


class PasswordBackend(AuthenticationBackend):
    def get_user(self, user_id: int) -> User | None:
        """Return the account of a session, with its language and time zone, in one statement."""
        user = _accounts().first(user=user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        """Compare the password with that of one account, so that no refusal comes later than another.

        An unconfirmed address may be in any number of accounts, and stands for none of them.
        """
        login = credentials.get("email") or credentials.get("username") or ""
        address = EmailAddress.objects.filter(email=login.lower(), verified=True).select_related("user").first()
        account = get_user_by_username(credentials.get("username") or "") if address is None else address.user
        user: AbstractBaseUser | None = self._check_password(account, credentials["password"])
        return user


@cache
def _accounts() -> PreparedModels[User]:
    account = Placeholder("user", BigIntegerField())
    return prepare_models(User.objects.select_related("preferences").filter(pk=account))
