"""Errors of the API as RFC 9457 problem details, which have a code and name each field by its path."""

import functools
import logging
import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost, PermissionDenied
from django.http import Http404, HttpRequest
from django.utils.module_loading import import_string
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from ranking.database.errors import count_refusal
from ranking.rules.report import BadReport
from ranking.validation.field_codes import field_code
from ranking.validation.problem_codes import ProblemCode

MOST_ERRORS = 50
RETRY_AFTER = 5  # seconds; a database that restarts is back by then
MEDIA_TYPE = "application/problem+json"
PAGES = "/api/problems/"  # the address of the pages about codes
_LONGEST_PATH = 200
_SENTENCES = {
    exceptions.NotAuthenticated: "This needs a key: 'Authorization: Bearer <key>'.",
    exceptions.UnsupportedMediaType: "Send the body as it is, with 'Content-Type: application/json'.",
}
# Our codes for the default codes of Django's and DRF's exceptions.
_OURS = {
    "parse_error": "malformed-json",
    "not_authenticated": "credentials-missing",
    "permission_denied": "forbidden",
    "not_found": "not-found",
    "method_not_allowed": "method-not-allowed",
    "unsupported_media_type": "unsupported-media-type",
    "throttled": "too-many-requests",
}

log = logging.getLogger(__name__)


@functools.cache
def problem_codes() -> Mapping[str, ProblemCode]:
    """Return all codes of the site, in the order of the lists that the setting PROBLEM_CODES names."""
    rows: list[ProblemCode] = [row for path in settings.PROBLEM_CODES for row in import_string(path)]
    return {row.code: row for row in rows}


def page_address(code: str, request: HttpRequest | Request) -> str:
    """Return the address of a code's page on this site; without the host if the request names another one."""
    try:
        return str(request.build_absolute_uri(f"{PAGES}{code}/"))
    except DisallowedHost:
        return f"{PAGES}{code}/"


def field_errors(detail: object, path: str = "") -> Iterator[dict[str, str]]:
    """Yield {"field", "code", "detail"} for each sentence in a ValidationError's detail, in order."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from field_errors(inner, _step(path, key))
    elif isinstance(detail, list | tuple):
        for index, inner in enumerate(detail):
            yield from field_errors(inner, f"{path}[{index}]" if isinstance(inner, dict | list) else path)
    else:
        yield {"field": path, "code": field_code(getattr(detail, "code", "")), "detail": str(detail)}


def _step(path: str, key: str | int) -> str:
    """Return the path of a field inside the value at `path`; every name that a client sends is made printable."""
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    name = key[:_LONGEST_PATH].encode("utf-8", "backslashreplace").decode()
    return f"{path}.{name}" if path else name


def problem(code: str, detail: str, request: HttpRequest | Request, **more: Any) -> dict[str, Any]:
    """Return the body of an error response. Raises KeyError for an unknown code."""
    row = problem_codes()[code]
    page = page_address(code, request)
    return {"type": page, "title": str(row.title), "status": row.status, "code": code, "detail": detail, **more}


def validation_problem(error: exceptions.ValidationError | BadReport, request: HttpRequest | Request) -> dict[str, Any]:
    """Return the body of a 400 with the first fifty errors. The error's `problem_code`, if it has one, is the code."""
    if isinstance(error, BadReport):
        errors = [{"field": error.path, "code": field_code(error.code), "detail": error.sentence}]
    else:
        errors = list(islice(field_errors(error.detail), MOST_ERRORS))
    first = errors[0]
    sentence = f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    has_no_body = request.method != "GET" and request.META.get("CONTENT_LENGTH", "") in ("", "0")
    if has_no_body and first["code"] == "required":
        sentence = f"The request has no body. {sentence}"
    return problem(getattr(error, "problem_code", "invalid-request"), sentence, request, errors=errors)


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into a response: DRF's exception handler.

    An exception of DRF may have `members`: what its problem has beside the usual.
    """
    set_rollback()
    request = context["request"]
    headers: dict[str, str] = {}
    if count_refusal(error, during="request"):
        log.error("The database refuses: %s", error, exc_info=error)
        sentence = "The database can't answer just now; nothing is half written. Send it again."
        body = problem("database-unavailable", sentence, request)
        headers["Retry-After"] = str(RETRY_AFTER)
    elif isinstance(error, exceptions.ValidationError | BadReport):
        body = validation_problem(error, request)
    elif isinstance(error := _as_api_error(error), exceptions.APIException):
        sentence, members = _sentence_of(error, context), getattr(error, "members", {})
        body = problem(code_of(error), sentence, request, **members)
    else:
        return None
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(math.ceil(wait))
    return Response(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def _sentence_of(error: exceptions.APIException, context: dict[str, Any]) -> str:
    """The sentence of an exception: its own, or ours in place of the framework's."""
    if isinstance(error, exceptions.MethodNotAllowed):
        methods = ", ".join(context["view"].allowed_methods)
        return f"{context['request'].method} isn't taken here; these are: {methods}."
    if str(error.detail).startswith(str(exceptions.Throttled.default_detail)):
        wait = getattr(error, "wait", None)
        return f"Too many requests: wait {math.ceil(wait or 1)} s, as the header Retry-After says, and send this again."
    return _SENTENCES.get(type(error), str(error.detail))


def code_of(error: exceptions.APIException) -> str:
    """Return the code of an exception: the one that it was raised with, or that of its class."""
    code = getattr(error.detail, "code", error.default_code)
    return _OURS.get(code, code)


def _as_api_error(error: Exception) -> Exception:
    if isinstance(error, Http404):
        return exceptions.NotFound(str(error) or None)
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(str(error) or None, getattr(error, "code", None))
    return error
