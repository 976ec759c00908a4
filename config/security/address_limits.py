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

from config.languages.middleware import language_before_login
from config.security import limits
from config.security.addresses import client_address, network_of
from config.security.throttling import quota_headers, set_quota
from config.serving.errors import error_response, is_api
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
    """Middleware: responds 429 with Retry-After if an address is over one of its limits.

    Answers of the API tell what is left, by the address or by the key or token: RateLimit-Limit, -Remaining, -Reset.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        network = network_of(client_address(request))
        keyed, signing_in = is_api(request) and "Authorization" in request.headers, _signs_in(request)
        wait = limits.seconds_to_wait("failed", network, settings.LIMITS["failed"]) if signing_in else None
        if wait is not None:
            return _refusal(request, wait, "too-many-failures")
        if not keyed:
            wait = _take(request, "address", network)
        if wait is None and request.path.endswith("/card.png"):
            wait = limits.count("picture", network, settings.LIMITS["picture"])
        if wait is not None:
            return _refusal(request, wait)
        response = self.get_response(request)
        code = "too-many-requests"
        if keyed and not has_proven_key(request):
            wait = _take(request, "address", network)
        if (keyed and response.status_code == 401) or (signing_in and response.status_code == 200):
            failed = limits.count("failed", network, settings.LIMITS["failed"])
            wait, code = (failed, "too-many-failures") if failed else (wait, code)
        # A failed log-in is answered; requests with valid keys from the same address aren't refused.
        if keyed and wait is not None:
            return _refusal(request, wait, code)
        if is_api(request):
            _add_quota(request, response)
        return response


def _take(request: HttpRequest, scope: str, network: str) -> int | None:
    """Count the request, note what is left, and return the seconds to wait if it is over the limit."""
    quota = limits.take(scope, network, settings.LIMITS[scope])
    set_quota(request, quota)
    return None if quota is None else quota.wait


def _add_quota(request: HttpRequest, response: HttpResponseBase) -> None:
    for name, value in quota_headers(request).items():
        response[name] = value


def _refusal(request: HttpRequest, wait: int, code: str = "too-many-requests") -> HttpResponseBase:
    with translation.override(language_before_login(request)):
        words = ngettext("Wait %(number)s second and try again.", "Wait %(number)s seconds and try again.", wait)
        response = error_response(request, code, words % {"number": wait})
    response["Retry-After"] = str(wait)
    _add_quota(request, response)
    return response


def _signs_in(request: HttpRequest) -> bool:
    """True if the request sends a password or code; the form responds 200 if it is wrong, else with a redirect."""
    return request.method == "POST" and request.path in map(reverse, _SECRET_FORMS)
