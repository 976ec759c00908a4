"""Chooses the language and the time zone of a request.

The language: `?lang=`, else the account's, else the cookie's, else the browser's. The API and the admin are English.
Pictures, calendars and boards in other sites go to programs and shared caches, so that only `?lang=` counts there.
"""

from collections.abc import Callable
from contextlib import ExitStack

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from leaderboards.accounts.language import keep_language, language_asked_for, language_of, zone_of
from ranking.validation.problems import PAGES

ENGLISH = ("/api/", "/admin/", "/metrics", "/health/")
FILES = (".png", ".svg", ".ics")
EMBEDDED = "/embed/"


def is_english(request: HttpRequest) -> bool:
    """True for the API, the admin and operators' addresses; the pages about the API's problems are for people."""
    return request.path.startswith(ENGLISH) and not request.path.startswith(PAGES)


def language_before_login(request: HttpRequest) -> str:
    """Return the language of a response made before the account is known: it reads no session."""
    if is_english(request):
        return "en"
    return language_asked_for(request) or translation.get_language_from_request(request)


class Languages:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if is_english(request):
            with translation.override("en"):
                return self.get_response(request)
        if request.path.endswith(FILES) or request.path.startswith(EMBEDDED):
            with translation.override(language_asked_for(request) or "en"):
                return self.get_response(request)
        with ExitStack() as stack:
            stack.enter_context(translation.override(language_of(request)))
            if (zone := zone_of(request)) is not None:
                stack.enter_context(timezone.override(zone))
            response = self.get_response(request)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        asked = language_asked_for(request)
        if asked and not getattr(request, "htmx", None) and request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) != asked:
            keep_language(response, asked)
        return response
