"""Refuses requests whose bodies didn't come, or had no room; config/serving/bodies.py receives bodies."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _

from config.languages.middleware import language_before_login
from config.serving.application import NOT_RECEIVED, PROVEN_KEY
from config.serving.errors import error_response
from ranking.api.authentication import has_proven_server_key

RETRY_AFTER = 2  # seconds


class SlowBodies:
    """Middleware: responds 408 or 503 to a request without its body, and notes proven keys, which have more room."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if code := request.META.get(NOT_RECEIVED):
            return _refusal(request, code)
        response = self.get_response(request)
        if has_proven_server_key(request):
            request.META[PROVEN_KEY] = True
        return response


def _refusal(request: HttpRequest, code: str) -> HttpResponseBase:
    with translation.override(language_before_login(request)):
        sentence = {
            "request-timeout": _("The request didn't arrive whole and in time; nothing was changed. Send it again."),
            "too-many-slow-requests": _(
                "Too many large requests are arriving just now; nothing was changed. Send it again."
            ),
        }[code]
        response = error_response(request, code, sentence)
    if response.status_code == 503:
        response["Retry-After"] = str(RETRY_AFTER)
    return response
