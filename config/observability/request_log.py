"""A line for each request, and the id that ties it to every other line about the same request."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponseBase

from config.observability import endpoints

HEADER = "X-Request-ID"
_SANE = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")

log = structlog.get_logger("rungs.request")


class RequestLog:
    """Takes the request's id from the proxy where it is sane, else makes one; answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        request_id = given if _SANE.fullmatch(given) else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began = time.perf_counter()
        response = self.get_response(request)
        response[HEADER] = request_id
        say = log.debug if _is_chatter(request) else log.info
        milliseconds = round(1_000 * (time.perf_counter() - began), 1)
        say("request", method=request.method, path=request.path, status=response.status_code, ms=milliseconds)
        return response


def _is_chatter(request: HttpRequest) -> bool:
    """Static files, and what machines ask every few seconds."""
    return request.path.startswith("/static/") or endpoints.find_view(request.path_info) is not None
