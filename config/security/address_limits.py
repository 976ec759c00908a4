"""The limits on an address: its requests without a key, pictures among them, and its failures to prove who it is."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from config.errors import error_response
from config.security import limits
from config.security.addresses import client_address, network_of

_GUESSED = ("login", "mfa_authenticate", "leaderboards:claim")  # forms whose secrets could be guessed


class AddressLimits:
    """Middleware: 429 with Retry-After where an address is over one of its limits."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        who = network_of(client_address(request))
        keyed, signing_in = "Authorization" in request.headers, _signs_in(request)
        wait = limits.seconds_to_wait("failed", who, settings.LIMITS["failed"]) if signing_in else None
        if not keyed and wait is None:
            wait = limits.count("address", who, settings.LIMITS["address"])
        if wait is None and request.path.endswith("/card.png"):
            wait = limits.count("picture", who, settings.LIMITS["picture"])
        if wait is not None:
            return _refusal(request, wait)
        answer = self.get_response(request)
        if (keyed and answer.status_code == 401) or (signing_in and answer.status_code == 200):
            wait = limits.count("failed", who, settings.LIMITS["failed"])
            if keyed and wait is not None:  # good keys of the same address go on
                return _refusal(request, wait)
        return answer


def _refusal(request: HttpRequest, wait: int) -> HttpResponseBase:
    response = error_response(request, 429, f"Wait {wait} seconds and try again.")
    response["Retry-After"] = str(wait)
    return response


def _signs_in(request: HttpRequest) -> bool:
    """A password or code is sent; those forms answer 200 where it is wrong, and a redirect where it is right."""
    return request.method == "POST" and request.path in map(reverse, _GUESSED)
