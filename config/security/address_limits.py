"""Rate limits by client address: requests without a proven key, requests for pictures, and failed log-ins.

Only a header that proves something lifts the limit. A page proves no key, so every request for a page counts. The API
proves the key of a request before it does anything else, so a request with a header is counted afterwards, unless its
key or token was proven (ranking/api/authentication.py).
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.utils.translation import ngettext

from config.errors import error_response, is_api
from config.languages.middleware import language_before_login
from config.security import limits
from config.security.addresses import client_address, network_of
from ranking.api.authentication import has_proven_key

# Forms whose secrets could be guessed.
_SECRET_FORMS = (
    "login",
    "mfa_authenticate",
    "account_reauthenticate",
    "mfa_reauthenticate",
    "account_change_password",
    "leaderboards:claim",
)


class AddressLimits:
    """Middleware: responds 429 with Retry-After if an address is over one of its limits."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        network = network_of(client_address(request))
        keyed, signing_in = is_api(request) and "Authorization" in request.headers, _signs_in(request)
        wait = limits.seconds_to_wait("failed", network, settings.LIMITS["failed"]) if signing_in else None
        if not keyed and wait is None:
            wait = limits.count("address", network, settings.LIMITS["address"])
        if wait is None and request.path.endswith("/card.png"):
            wait = limits.count("picture", network, settings.LIMITS["picture"])
        if wait is not None:
            return _refusal(request, wait)
        response = self.get_response(request)
        if keyed and not has_proven_key(request):
            wait = limits.count("address", network, settings.LIMITS["address"])
        if (keyed and response.status_code == 401) or (signing_in and response.status_code == 200):
            wait = limits.count("failed", network, settings.LIMITS["failed"]) or wait
        # A failed log-in is answered; requests with valid keys from the same address aren't refused.
        return _refusal(request, wait) if keyed and wait is not None else response


def _refusal(request: HttpRequest, wait: int) -> HttpResponseBase:
    with translation.override(language_before_login(request)):
        words = ngettext("Wait %(number)s second and try again.", "Wait %(number)s seconds and try again.", wait)
        response = error_response(request, 429, words % {"number": wait})
    response["Retry-After"] = str(wait)
    return response


def _signs_in(request: HttpRequest) -> bool:
    """True if the request sends a password or code; the form responds 200 if it is wrong, else with a redirect."""
    return request.method == "POST" and request.path in map(reverse, _SECRET_FORMS)
