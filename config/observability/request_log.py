"""The log line of each request, and the request's id, which all log lines about the request share."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponseBase

from config.observability import endpoints

HEADER = "X-Request-ID"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")

log = structlog.get_logger("rungs.request")


class RequestLog:
    """Middleware: logs each request. It takes the id from the proxy if it is well-formed, else it makes one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        sent_id = request.headers.get(HEADER, "")
        request_id = sent_id if _WELL_FORMED.fullmatch(sent_id) else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        began = time.perf_counter()
        response = self.get_response(request)
        response[HEADER] = request_id
        write = log.debug if _is_routine(request) else log.info
        milliseconds = round(1_000 * (time.perf_counter() - began), 1)
        write("request", method=request.method, path=request.path, status=response.status_code, ms=milliseconds)
        return response


def _is_routine(request: HttpRequest) -> bool:
    """True for static files, and for what machines request every few seconds."""
    return request.path.startswith("/static/") or endpoints.find_view(request.path_info) is not None
