"""Errors of the API: RFC 9457 problem details that name the field by its path."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from ranking.report import BadReport


def field_errors(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """{"field", "detail"} of every sentence in a ValidationError's detail, in order."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            whole = key == api_settings.NON_FIELD_ERRORS_KEY
            step = (
                path if whole else f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else str(key)
            )
            yield from field_errors(inner, step)
    elif isinstance(detail, list | tuple):
        for index, inner in enumerate(detail):
            yield from field_errors(inner, f"{path}[{index}]" if isinstance(inner, dict | list) else path)
    else:
        yield {"field": path, "detail": str(detail)}


def problem(status: int, title: str, detail: str, **more: Any) -> dict[str, Any]:
    """The body of an error."""
    return {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}


def validation_problem(error: exceptions.ValidationError | BadReport) -> dict[str, Any]:
    """The body of a 400."""
    if isinstance(error, BadReport):
        errors = [{"field": error.path, "detail": error.sentence}]
    else:
        errors = list(field_errors(error.detail))
    first = errors[0]
    sentence = f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    return problem(400, "Invalid request", sentence, errors=errors)


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler."""
    if isinstance(error, Http404):
        error = exceptions.NotFound(str(error) or None)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error) or None)
    if isinstance(error, exceptions.ValidationError | BadReport):
        body = validation_problem(error)
    elif isinstance(error, exceptions.APIException):
        body = problem(error.status_code, error.default_detail if error.detail else "Error", str(error.detail))
    else:
        return None
    headers: dict[str, str] = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if (wait := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    set_rollback()
    return Response(body, status=body["status"], headers=headers, content_type="application/problem+json")
