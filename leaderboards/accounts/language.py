"""The language and the time zone in which somebody reads pages, mails and notices.

An account keeps its choice in Preferences, which config.people.backend reads together with the account. A browser
keeps it in a cookie. For accounts that chose no zone, js/pages.js writes the browser's into a cookie.
"""

from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from leaderboards.models import Preferences

ZONE_COOKIE = "zone"
_TELLS_MOMENTS = "tells_moments"  # on Django's request
MAX_AGE = 400 * 86_400  # seconds; browsers keep no cookie longer


def preferences_of(user: object) -> Preferences | None:
    """Return what an account chose; None for strangers and for accounts that chose nothing."""
    return None if user is None or isinstance(user, AnonymousUser) else getattr(user, "preferences", None)


def known_language(code: str) -> str:
    """Return the code if the site has the language, else ""."""
    return code if code in dict(settings.LANGUAGES) else ""


def language_asked_for(request: HttpRequest) -> str:
    """Return the language of `?lang=`, or "" if there is none that the site has."""
    return known_language(request.GET.get("lang", ""))


def language_of(request: HttpRequest) -> str:
    """Return the language for a request: of `?lang=`, the account, the cookie, or the browser."""
    if asked := language_asked_for(request):
        return asked
    preferences = _preferences(request)
    if preferences is not None and (chosen := known_language(preferences.language)):
        return chosen
    return translation.get_language_from_request(request)


def chosen_zone(request: HttpRequest) -> str:
    """Return the name of the time zone that the account chose; "" = the browser's, which a script knows."""
    preferences = None if language_asked_for(request) else _preferences(request)
    return preferences.zone if preferences is not None and preferences.zone in zone_names() else ""


def zone_of(request: HttpRequest) -> ZoneInfo | None:
    """Return the time zone for a request: the account's, or that of the account's browser if its cookie tells it."""
    if language_asked_for(request) or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    name = chosen_zone(request) or request.COOKIES.get(ZONE_COOKIE, "")
    return ZoneInfo(name) if name in zone_names() else None


def tell_moments(request: HttpRequest) -> None:
    """Have times stand on the page as moments, because it is kept for later readers; a script says how long ago."""
    setattr(request, _TELLS_MOMENTS, True)


def tells_moments(request: HttpRequest | None) -> bool:
    """True if the page is kept for later readers. On error pages the request may be missing."""
    return getattr(request, _TELLS_MOMENTS, False)


def _preferences(request: HttpRequest) -> Preferences | None:
    """Read the account only if the browser has a session; a stranger's page needs no statement."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    return preferences_of(request.user)


def keep_language(response: HttpResponse, language: str) -> None:
    """Set the cookie of the browser's language."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=MAX_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


_names: frozenset[str] = frozenset()


def zone_names() -> frozenset[str]:
    """Return the names of time zones as places: Europe/Berlin, and UTC."""
    global _names
    if not _names:
        areas = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
        _names = frozenset(
            name for name in available_timezones() if name == "UTC" or (name.partition("/")[0] in areas and "/" in name)
        )
    return _names


def keep_preferences(user: Any, *, language: str = "", zone: str | None = None) -> None:
    """Write an account’s choice: a language, unless it is ""; a zone, unless it is None. "" = the browser’s zone."""
    values = {}
    if language:
        values["language"] = language
    if zone is not None:
        values["zone"] = zone if zone in zone_names() else ""
    if values:
        Preferences.objects.update_or_create(user=user, defaults=values)
