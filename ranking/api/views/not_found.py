"""404 for addresses under /api/v1/ that don't exist. Registered last."""

from typing import Any

from django.urls import resolve
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView


@extend_schema(exclude=True)
class NotFoundView(ApiView):
    """Answers 404 to every method. It doesn't redirect from `matches` to `matches/`: a POST would become a GET."""

    authentication_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        meant = f" Did you mean {request.path}/? Addresses end with a slash." if _lacks_slash(request.path) else ""
        sentence = f"Nothing is at this address.{meant} The addresses of the API are described at /api/docs/."
        raise NotFound(sentence, "no-such-address")

    def get(self, request: Request, path: str) -> Response:
        raise NotImplementedError  # initial raises


def _lacks_slash(path: str) -> bool:
    """True if the API has the address with a slash behind it."""
    return not path.endswith("/") and resolve(f"{path}/").url_name != "not-found"
