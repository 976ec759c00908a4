"""Log-ins by the provider of oidc_provider.py, and how they go on at this site."""

from typing import Any

from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.test import Client

from tests.support.oidc_provider import CLIENT, SECRET, Provider
from tests.support.second_factors import code_of

PASSWORD = "a long secret"
LOGIN = "/account/oidc/openid_connect/login/"
GIVEN = {
    "RUNGS_OIDC_ISSUER": "https://id.example.org/realms/games",
    "RUNGS_OIDC_ID": CLIENT,
    "RUNGS_OIDC_SECRET": SECRET,
    "RUNGS_OIDC_NAME": "Studio",
    "RUNGS_OIDC_ROLES": "mods=moderator, leads=administrator, helpers=junior moderator",
}
OWL = {"sub": "owl-1", "preferred_username": "owl", "email": "owl@example.org", "email_verified": True}


def come(provider: Provider, browser: Client | None = None, **claims: Any) -> Client:
    """Log in by the provider, with these claims; returns the browser."""
    browser = browser or Client()
    provider.claims = {**provider.claims, **claims}
    sent = browser.post(f"{LOGIN}?process=login")
    assert sent.status_code == 302, sent.content
    browser.answer = browser.get(f"{LOGIN}callback/", provider.authorize(sent["Location"]))
    return browser


def rights(browser: Client) -> tuple[bool, list[str]]:
    """Whether the admin lets this browser in, and the roles of its account."""
    user = User.objects.get(pk=browser.session["_auth_user_id"])
    return browser.get("/admin/").status_code == 200, sorted(user.groups.values_list("name", flat=True))


def give_password(user: User) -> str:
    """Give the account a password and a second factor of this site; returns the second factor's secret."""
    user.set_password(PASSWORD)
    user.save()
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def enter_code(browser: Client, secret: str) -> Client:
    assert browser.post("/account/2fa/authenticate/", {"code": code_of(secret)}).status_code == 302
    return browser


def enter_password(browser: Client, secret: str) -> Client:
    browser.post("/account/login/", {"login": "owl", "password": PASSWORD})
    return enter_code(browser, secret)
