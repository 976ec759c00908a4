"""Sends the content security policy, which is the same for every page and built once."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponseBase


class ContentSecurityPolicy:
    """Middleware that adds django-csp's policy to each response that has no policy of its own.

    The library's middleware builds the policy anew for every response, which only pages with different policies need.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault(HEADER, self.policy)
        return response
