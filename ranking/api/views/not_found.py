"""404 for addresses under /api/v1/ that don't exist. Registered last."""

from typing import Any

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
        slash = "" if request.path.endswith("/") else " Addresses end with a slash."
        sentence = f"Nothing is at this address.{slash} The addresses of the API are described at /api/docs/."
        raise NotFound(sentence, "no-such-address")

    def get(self, request: Request, path: str) -> Response:
        raise NotImplementedError  # initial raises
