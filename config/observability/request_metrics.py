"""Counts and times requests by route. A route is named, never its path, so the number of series has a bound.

Each request costs two look-ups in a dictionary and a few numbers written to memory: some microseconds.
"""

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from prometheus_client import Counter, Histogram

from config.observability.endpoints import find_view

REQUESTS = Counter("rungs_http_requests", "Requests, by the route that answered.", ["route", "method", "status"])
SECONDS = Histogram(
    "rungs_http_seconds", "Time until the answer begins.", ["route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)  # fmt: skip
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_counters: dict[tuple[str, str, int], Counter] = {}
_histograms: dict[tuple[str, int], Histogram] = {}


class RequestMetrics:
    """Middleware, the outermost: it counts what the others answer, too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        route, method, status = route_of(request), request.method or "", response.status_code
        key = (route, method, status)
        if key not in _counters and method in _METHODS:
            _counters[key] = REQUESTS.labels(route, method, str(status))
        counter = _counters.get(key) or REQUESTS.labels(route, "other", str(status))
        counter.inc()
        if (route, status // 100) not in _histograms:
            _histograms[route, status // 100] = SECONDS.labels(route, f"{status // 100}xx")
        _histograms[route, status // 100].observe(seconds)
        return response


def route_of(request: HttpRequest) -> str:
    """The name of the route that a request came to, such as leaderboards:board; or of those who answered before.

    "static": a static file. "operators": health or metrics. "none": no route has this path, or the request was refused
    first, such as with 429.
    """
    match = request.resolver_match
    if match is not None:
        return match.view_name
    if request.path_info.startswith("/static/"):
        return "static"
    return "none" if find_view(request.path_info) is None else "operators"
