"""URLs for operators, /health/ and /metrics, and the middleware that serves them before anything can refuse them.

These requests come from inside the network, so host names, HTTPS, sessions and rate limits don't matter for them.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.urls import Resolver404, re_path, resolve

from config.observability import health
from config.observability.metrics import view as metrics

urlpatterns = [
    re_path(r"^(?:api/v1/)?health/live/?$", health.live),
    re_path(r"^(?:api/v1/)?health/ready/?$", health.ready),
    re_path(r"^metrics/?$", metrics.metrics),
]

View = Callable[[HttpRequest], HttpResponseBase]


def find_view(path: str) -> View | None:
    """Return the view for an operators' URL, or None."""
    if not path.startswith(("/health/", "/api/v1/health/", "/metrics")):
        return None
    try:
        return resolve(path, urlconf=__name__).func
    except Resolver404:
        return None


class OperatorEndpoints:
    """Middleware that serves the operators' URLs."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = find_view(request.path_info)
        return self.get_response(request) if view is None else view(request)
