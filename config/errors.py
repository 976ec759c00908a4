"""Handlers of errors outside views: problem details for the API, and for people a page that needs no database."""

import sys
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views import defaults

from ranking.validation.problems import DATABASE_REFUSES, problem

RETRY_AFTER = 5  # seconds; a database that restarts is back by then
_TITLES = {
    400: gettext_lazy("Bad Request"),
    500: gettext_lazy("Internal Server Error"),
    413: gettext_lazy("Too large"),
    414: gettext_lazy("Address too long"),
    429: gettext_lazy("Too many requests"),
    503: gettext_lazy("Service Unavailable"),
}


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def error_response(request: HttpRequest, status: int, detail: str) -> HttpResponse:
    """Return an error as JSON for the API, as a page for people."""
    title = HTTPStatus(status).phrase
    if is_api(request):
        return JsonResponse(problem(status, title, detail), status=status, content_type="application/problem+json")
    page = loader.get_template("config/error.html")  # rendered without context processors, which read the database
    title = str(_TITLES.get(status, title))
    return HttpResponse(
        page.render({"status": status, "title": title, "detail": detail, "request": request}), status=status
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500; or 503 if the database can't be reached or can't write, because a retry may then succeed."""
    if isinstance(sys.exc_info()[1], DATABASE_REFUSES):
        response = error_response(
            request, 503, _("The database can't answer just now; nothing was changed. Try again in a moment.")
        )
        response["Retry-After"] = str(RETRY_AFTER)
        return response
    return error_response(request, 500, _("Something went wrong here; it was noted. Nothing was changed."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return error_response(request, 404, "Nothing is at this address.")
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 400: the host is unknown, or the request is too large or malformed."""
    return error_response(request, 400, _("This request can't be answered."))


def forbidden(request: HttpRequest, exception: Exception | None = None, **more: Any) -> HttpResponse:
    if is_api(request):
        return error_response(request, 403, "You may not do this.")
    return defaults.permission_denied(request, exception or Exception())
