"""The largest requests: addresses and bodies over their limits are refused before anything reads or looks them up.

A body's limit is its view's attribute `largest_body`. The body has arrived by then: config/serving/bodies.py.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _

from config.languages.middleware import language_before_login
from config.serving.errors import error_response
from ranking.validation.json_body import LARGEST_BODY, too_large
from ranking.wording.translation import number_text

LONGEST_ADDRESS = 8_000  # bytes of path and query


class RequestSizes:
    """Middleware: responds 414 to an address that is too long, and 413 to a body that is too large."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if len(request.get_full_path()) > LONGEST_ADDRESS:
            with translation.override(language_before_login(request)):
                words = _("This address is over %(number)s bytes.") % {"number": number_text(LONGEST_ADDRESS)}
                return error_response(request, "address-too-long", words)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> HttpResponse | None:
        largest: int = getattr(getattr(view, "view_class", None), "largest_body", LARGEST_BODY)
        if said_length(request) > largest:
            return error_response(request, "too-large", too_large(largest))
        return None


def said_length(request: HttpRequest) -> int:
    """Return the length that the request says its body has; 0 if it says none, as Django takes it."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0
