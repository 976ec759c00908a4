"""Handlers of errors outside views: problem details for the API, and for people a page that needs no database."""

import sys
from http import HTTPStatus
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults

from ranking.database.errors import count_refusal
from ranking.validation.problems import MEDIA_TYPE, PAGES, problem, problem_codes

RETRY_AFTER = 5  # seconds; a database that restarts is back by then
_TITLES = {
    400: gettext_lazy("Bad Request"),
    500: gettext_lazy("Internal Server Error"),
    408: gettext_lazy("The request came too slowly"),
    413: gettext_lazy("Too large"),
    414: gettext_lazy("Address too long"),
    429: gettext_lazy("Too many requests"),
    503: gettext_lazy("Service Unavailable"),
}


def is_api(request: HttpRequest) -> bool:
    """True if a program asks; the pages about problems are for people."""
    return request.path.startswith("/api/") and not request.path.startswith(PAGES)


def error_response(request: HttpRequest, code: str, detail: str) -> HttpResponse:
    """Return the error with this code (see ranking.validation.problem_codes) as JSON for the API, else as a page."""
    status = problem_codes()[code].status
    if is_api(request):
        return JsonResponse(problem(code, detail, request), status=status, content_type=MEDIA_TYPE)
    title = HTTPStatus(status).phrase
    page = loader.get_template("config/error.html")  # rendered without context processors, which read the database
    title = str(_TITLES.get(status, title))
    return HttpResponse(
        page.render({"status": status, "title": title, "detail": detail, "request": request}), status=status
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500; or 503 if the database can't be reached or can't write, because a retry may then succeed."""
    if count_refusal(sys.exc_info()[1], during="request"):
        sentence = _("The database can't answer just now; nothing is half written. Try again in a moment.")
        response = error_response(request, "database-unavailable", sentence)
        response["Retry-After"] = str(RETRY_AFTER)
        return response
    return error_response(request, "internal-error", _("Something went wrong here; it was noted."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_readable(request):
        return bad_request(request, exception)
    if is_api(request):
        return error_response(request, "no-such-address", "Nothing is at this address.")
    return defaults.page_not_found(request, exception)


def _is_readable(request: HttpRequest) -> bool:
    """True if the address has no more parameters than the site reads: pages of errors read one, too."""
    try:
        return request.GET is not None
    except SuspiciousOperation:
        return False


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400: the host is unknown, or the request is too large or malformed."""
    return error_response(request, "malformed-request", _("This request can't be answered."))


def forbidden(request: HttpRequest, exception: Exception | None = None, **more: Any) -> HttpResponse:
    if not _is_readable(request):
        return bad_request(request, exception or Exception())
    if is_api(request):
        return error_response(request, "forbidden", "You may not do this.")
    return defaults.permission_denied(request, exception or Exception())
