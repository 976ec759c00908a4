"""Adapters of django-allauth: client addresses, log-in providers, and what happens if mail can't be sent."""

from smtplib import SMTPException
from typing import Any

import structlog
from allauth.account import views
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context as current
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from config.people.devices import remember_device
from config.people.login_limits import forget_tries, give_back, take_try
from config.security.addresses import client_address

log = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "That name and password don’t fit together. Check both; capitals count.",
        "email_password_mismatch": "That address and password don’t fit together. Check both; capitals count.",
        "too_many_login_attempts": "Too many wrong tries. Wait five minutes; if that doesn’t help, an hour.",
        "username_taken": "Somebody has that name already. Choose another.",
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address by which rate limits count; proxies are trusted as in config/security/addresses.py."""
        return str(client_address(request))

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False: forms answer with pages, so that a wrong password is one by the page's status.

        The library would answer in JSON, by other statuses, whoever asks for it by a header.
        """
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the password before it is compared. Raises ValidationError if it is one too many."""
        self.tries = take_try(request, credentials.get("email") or credentials.get("username") or "")
        if self.tries is None:
            raise self.validation_error("too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        if user is not None and self.tries is not None:
            give_back(self.tries)
        return user

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Make the browser known to the account, after the second factor if there is one."""
        response: HttpResponse = super().post_login(request, user, **more)
        remember_device(request, response, user)
        return response

    def set_password(self, user: User, password: str) -> None:
        super().set_password(user, password)
        addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
        forget_tries(current.request, [user.username, *addresses])

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """Send the link that confirms an address; if another account confirmed it, say so to the address instead."""
        address = emailconfirmation.email_address
        if EmailAddress.objects.filter(email=address.email, verified=True).exclude(user=address.user_id).exists():
            self.send_account_already_exists_mail(address.email)
        else:
            super().send_confirmation_mail(request, emailconfirmation, signup)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send mail. If the mail server fails, the account is made all the same; people can ask for the mail again."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            log.error("mail_not_sent", template=template_prefix, reason=f"{type(error).__name__}: {error}")
            messages.warning(current.request, "Our mail can’t be sent just now. Ask for it again in a few minutes.")


class SocialAdapter(DefaultSocialAccountAdapter):
    def list_providers(self, request: HttpRequest) -> list[Any]:
        """Return the configured providers only. Steam needs the OpenID provider, which would trust any server."""
        providers = super().list_providers(request)
        return [provider for provider in providers if provider.id in settings.SOCIALACCOUNT_PROVIDERS]


def password_reset(request: HttpRequest) -> HttpResponseBase:
    """Show the library's page; if the site sends no mail, a page that says what to do instead."""
    if not settings.SENDS_MAIL:
        return render(request, "account/no_mail.html")
    response: HttpResponseBase = views.password_reset(request)
    return response
