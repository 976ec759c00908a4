"""Errors of the API as RFC 9457 problem details, which name each field by its path."""

import logging
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, InternalError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from ranking.rules.report import BadReport

MOST_ERRORS = 50
RETRY_AFTER = 5  # seconds; a database that restarts is back by then
MEDIA_TYPE = "application/problem+json"
_LONGEST_PATH = 200
_SENTENCES = {
    exceptions.NotAuthenticated: "This needs a key: 'Authorization: Bearer <key>'.",
    exceptions.UnsupportedMediaType: "Send the body as it is, with 'Content-Type: application/json'.",
}
# The database can't be reached, a wait took too long, the disk is full, or the database is read-only.
DATABASE_REFUSES = (OperationalError, InterfaceError, InternalError)

log = logging.getLogger(__name__)


def field_errors(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Yield {"field", "detail"} for each sentence in a ValidationError's detail, in order."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from field_errors(inner, _step(path, key))
    elif isinstance(detail, list | tuple):
        for index, inner in enumerate(detail):
            yield from field_errors(inner, f"{path}[{index}]" if isinstance(inner, dict | list) else path)
    else:
        yield {"field": path, "detail": str(detail)}


def _step(path: str, key: str | int) -> str:
    """Return the path of a field inside the value at `path`; every name that a client sends is made printable."""
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    name = key[:_LONGEST_PATH].encode("utf-8", "backslashreplace").decode()
    return f"{path}.{name}" if path else name


def problem(status: int, title: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return the body of an error response."""
    return {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}


def validation_problem(error: exceptions.ValidationError | BadReport) -> dict[str, Any]:
    """Return the body of a 400 with the first fifty errors."""
    if isinstance(error, BadReport):
        errors = [{"field": error.path, "detail": error.sentence}]
    else:
        errors = list(islice(field_errors(error.detail), MOST_ERRORS))
    first = errors[0]
    sentence = f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    return problem(400, "Invalid request", sentence, errors=errors)


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn an exception into a response: DRF's exception handler."""
    set_rollback()
    headers: dict[str, str] = {}
    if isinstance(error, DATABASE_REFUSES):
        log.error("The database refuses: %s", error, exc_info=error)
        sentence = "The database can't answer just now; nothing was changed. Send it again."
        body = problem(503, HTTPStatus(503).phrase, sentence)
        headers["Retry-After"] = str(RETRY_AFTER)
    elif isinstance(error, exceptions.ValidationError | BadReport):
        body = validation_problem(error)
    elif isinstance(error := _as_api_error(error), exceptions.APIException):
        sentence = _SENTENCES.get(type(error), str(error.detail))
        body = problem(error.status_code, HTTPStatus(error.status_code).phrase, sentence)
    else:
        return None
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    return Response(body, status=body["status"], headers=headers, content_type=MEDIA_TYPE)


def _as_api_error(error: Exception) -> Exception:
    if isinstance(error, Http404):
        return exceptions.NotFound(str(error) or None)
    if isinstance(error, PermissionDenied):
        return exceptions.PermissionDenied(str(error) or None)
    return error
