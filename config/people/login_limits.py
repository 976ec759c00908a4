"""Limits on guesses of passwords, counted in the cache by all processes together.

Each guess counts for the address that sends it, over all accounts; for the address and the account together; and for
the account, over all addresses. Nobody keeps a known member of staff out by wrong passwords from one address. Guesses
from many addresses hold up unknown browsers only: a browser on which the account has logged in before has tries of its
own (config/people/devices.py). Right passwords don't count.

A limit is kept for the text that was typed, whether there is such an account or not, so a refusal tells nothing. The
numbers are in ACCOUNT_RATE_LIMITS (config/settings.py), beside those of second factors.
"""

from collections.abc import Iterable
from functools import partial

from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.conf import settings
from django.http import HttpRequest

from config.people.devices import find_device
from config.security.addresses import client_address, network_of

Tries = list[RateLimitUsage]


def take_try(request: HttpRequest, login: str) -> Tries | None:
    """Count one password for a name or address of an account.

    Returns what to give back if the password was right, or None if it is one too many.
    """
    login = login.lower()
    device = _known_device(request, login)
    if device is None:
        counters = [
            ("password_by_address", ""),
            ("password_by_address_and_account", _both(request, login)),
            ("password_by_account", login),
        ]
    else:
        counters = [("password_by_device", device)]
    taken: Tries = []
    for action, key in counters:
        usage = ratelimit.consume(request, app="allauth.account", action=action, key=key, limit_get=True)
        if usage is None:
            return None
        taken.append(usage)
    return taken


def give_back(tries: Tries) -> None:
    for usage in tries:
        usage.rollback()


def forget_tries(request: HttpRequest, logins: Iterable[str]) -> None:
    """Let an account whose password was reset log in at once."""
    for login in map(str.lower, logins):
        clear = partial(ratelimit.clear, request, app="allauth.account")
        clear(action="password_by_address_and_account", key=_both(request, login))
        clear(action="password_by_account", key=login)


def _both(request: HttpRequest, login: str) -> str:
    return f"{network_of(client_address(request))}:{login}"


def _known_device(request: HttpRequest, login: str) -> str | None:
    """Return the key of the tries that this browser has for the account of its own; None for an unknown browser."""
    if settings.DEVICE_COOKIE_NAME not in request.COOKIES:
        return None
    by_name = get_user_by_username(login)
    accounts = filter_users_by_email(login, for_login=True) if by_name is None else [by_name]
    for user in accounts:
        if (device := find_device(request, user)) is not None:
            return f"{device}:{user.pk}"
    return None
