"""Adapters of django-allauth: client addresses, log-in providers, mail that can't be sent, factors that go."""

from collections.abc import Callable
from functools import wraps
from smtplib import SMTPException
from typing import Any

import structlog
from allauth.account import views
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context as current
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from config.people.devices import find_device, remember_device
from config.people.login_limits import forget_tries, give_back, take_try
from config.people.oidc import check_subjects, follow_provider, is_by_oidc, keep_free_addresses
from config.people.provider_errors import advice_for, reason_of
from config.security.addresses import client_address
from leaderboards.accounts.language import known_language, preferences_of
from leaderboards.accounts.providers import OIDC
from leaderboards.accounts.signup import domains_text, is_of_domains
from ranking.operations.audit import NOBODY, OWNER, UNASKED, acting_through, record_act

log = structlog.get_logger(__name__)

# Mails that anybody can have sent to any address, without a log-in.
_BY_STRANGERS = [
    f"account/email/{name}"
    for name in (
        "account_already_exists",
        "email_confirmation",
        "email_confirmation_signup",
        "password_reset_key",
        "unknown_account",
    )
]


class AccountAdapter(DefaultAccountAdapter):
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("That name and password don’t fit together. Check both; capitals count."),
        "email_password_mismatch": _("That address and password don’t fit together. Check both; capitals count."),
        "too_many_login_attempts": _("Too many wrong tries. Wait five minutes; if that doesn’t help, an hour."),
        "other_domain": _("Use an email address at %(domains)s. Others can’t be used on this site."),
        "username_taken": _("Somebody has that name already. Choose another."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.SIGNUP_OPEN

    def clean_email(self, email: str) -> str:
        """Return an address that an account may have; one of another domain is refused, whoever tells it."""
        cleaned: str = super().clean_email(email)
        if not is_of_domains(cleaned):
            sentence = self.error_messages["other_domain"] % {"domains": domains_text()}
            raise ValidationError(sentence)
        return cleaned

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
        sociallogin = (more["signal_kwargs"] or {}).get("sociallogin")
        if is_by_oidc(sociallogin):
            follow_provider(request, user, sociallogin)
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
        """Send mail in the account's language, unless strangers had so many sent to the address already.

        If the mail server fails, the account is made all the same; people can ask for the mail again.
        """
        if template_prefix in _BY_STRANGERS and not _may_mail(email):
            log.warning("mail_held_back", template=template_prefix)
            return
        try:
            with translation.override(_language_of_mail(context.get("user"))):
                super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            log.error("mail_not_sent", template=template_prefix, reason=f"{type(error).__name__}: {error}")
            messages.warning(
                current.request, str(_("Our mail can’t be sent just now. Ask for it again in a few minutes."))
            )


def _language_of_mail(user: User | None) -> str:
    """The language that the account chose, else that of the page on which the mail was asked for."""
    preferences = preferences_of(user)
    chosen = known_language(preferences.language) if preferences is not None else ""
    return chosen or translation.get_language() or settings.LANGUAGE_CODE


def _may_mail(email: str) -> bool:
    usage = ratelimit.consume(current.request, app="allauth.account", action="mail", key=email.lower(), limit_get=True)
    return usage is not None


class SocialAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """True if this person may get an account: always by the site's own provider, which says who comes in.

        If addresses are limited to domains, others need one that their provider has confirmed. Steam knows none.
        """
        if is_by_oidc(sociallogin):
            return True
        confirmed = [each.email for each in sociallogin.email_addresses if each.verified]
        return settings.SIGNUP_OPEN and (not settings.SIGNUP_DOMAINS or any(map(is_of_domains, confirmed)))

    def list_providers(self, request: HttpRequest) -> list[Any]:
        """Return the configured providers only. Steam needs the OpenID provider, which would trust any server."""
        providers = super().list_providers(request)
        return [provider for provider in providers if provider.id in settings.SOCIALACCOUNT_PROVIDERS]

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: BaseException | None = None,
        extra_context: dict[str, object] | None = None,
    ) -> None:
        """Log why a log-in failed, and put what helps into the page's context."""
        context = {} if extra_context is None else extra_context
        stale = "state_id" in context  # the library has it here only if it knows no such state
        event = "oidc_failed" if provider.id == OIDC else "provider_failed"
        log.warning(event, provider=provider.id, reason=reason_of(request, exception, stale=stale))
        context["advice"] = advice_for(exception, stale=stale)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Look at what a provider of staff says before anything follows from it. Raises PermissionDenied."""
        if is_by_oidc(sociallogin):
            check_subjects(sociallogin)
            if not sociallogin.is_existing:
                keep_free_addresses(sociallogin)


def password_reset(request: HttpRequest) -> HttpResponseBase:
    """Show the library's page; if the site sends no mail, a page that says what to do instead."""
    if not settings.SENDS_MAIL:
        return render(request, "account/no_mail.html")
    response: HttpResponseBase = views.password_reset(request)
    return response


def keep_device(view: Callable[..., HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Wrap a page of a new password: a browser that was known to the account stays known, all others don't."""

    @wraps(view)
    def page(request: HttpRequest) -> HttpResponseBase:
        user = request.user if isinstance(request.user, User) else None
        was_known = user is not None and find_device(request, user) is not None
        response = view(request)
        if user is not None and was_known and find_device(request, user) is None and isinstance(response, HttpResponse):
            remember_device(request, response, user)
        return response

    return page


def note_removed_factor(user: User, factor: Authenticator) -> None:
    """Write into the audit log that somebody has removed a second factor of their own."""
    subject = f"second factor of account {user.pk}: {factor.get_type_display()}"
    by, through = (user, "") if user.is_staff else (None, NOBODY[OWNER])
    with acting_through(through):
        record_act("delete second factor", subject, by=by, reason=UNASKED, now=timezone.now())
