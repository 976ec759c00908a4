"""Known devices: browsers on which an account has logged in before.

Somebody who guesses an account's password from many addresses uses up the account's tries. A known device has tries of
its own, so its owner gets in all the same. The cookie holds a random id of the browser and, for the last accounts that
logged in there, a digest that only this site can make. A new password makes an account's devices unknown again.
"""

import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

SALT = "config.people.devices"
MAX_AGE = 365 * 86_400  # seconds
ACCOUNTS = 5  # that a browser is remembered for, the last ones


def find_device(request: HttpRequest, user: User) -> str | None:
    """Return the id of the browser if the account has logged in on it before; None for an unknown browser."""
    device, accounts = _read(request)
    return device if _digest(device, user) in accounts else None


def remember_device(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Set the cookie that makes this browser known to the account that has just logged in."""
    device, accounts = _read(request)
    device = device or secrets.token_urlsafe(16)
    digest = _digest(device, user)
    kept = [digest, *(account for account in accounts if account != digest)][:ACCOUNTS]
    response.set_signed_cookie(
        settings.DEVICE_COOKIE_NAME,
        ".".join([device, *kept]),
        salt=SALT,
        max_age=MAX_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    """Read the cookie: the browser's id and the digests of accounts; empty if it is missing, forged or too old."""
    value = request.get_signed_cookie(settings.DEVICE_COOKIE_NAME, "", salt=SALT, max_age=MAX_AGE)
    device, *accounts = (value or "").split(".")
    return device, accounts


def _digest(device: str, user: User) -> str:
    return salted_hmac(SALT, f"{device}:{user.pk}:{user.get_session_auth_hash()}", algorithm="sha256").hexdigest()[:32]
