"""The content security policy, which is the same for every page: built once."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponseBase


class ContentSecurityPolicy:
    """Middleware that sends django-csp's policy where an answer has none of its own.

    The library's middleware would build it anew for every answer, for pages whose policies differ.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault(HEADER, self.policy)
        return response
