"""Addresses for operators, at the root and under the API's, and what answers them before anything else can refuse.

They care for no host name, no HTTPS, no session and no rate limit: whoever asks stands beside the machine.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.urls import Resolver404, re_path, resolve

from config.observability import health, metrics

urlpatterns = [
    re_path(r"^(?:api/v1/)?health/live/?$", health.live),
    re_path(r"^(?:api/v1/)?health/ready/?$", health.ready),
    re_path(r"^metrics/?$", metrics.metrics),
]

View = Callable[[HttpRequest], HttpResponseBase]


def find_view(path: str) -> View | None:
    """The view for an operator's address, or None."""
    if not path.startswith(("/health/", "/api/v1/health/", "/metrics")):
        return None
    try:
        return resolve(path, urlconf=__name__).func
    except Resolver404:
        return None


class OperatorEndpoints:
    """Middleware that answers them."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = find_view(request.path_info)
        return self.get_response(request) if view is None else view(request)
