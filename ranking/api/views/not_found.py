"""Addresses under /api/v1/ that nothing answers. Registered last."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView


@extend_schema(exclude=True)
class NowhereView(ApiView):
    """404 to every method. Nobody is sent from `matches` to `matches/`: on the way a POST would become a GET."""

    authentication_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        slash = "" if request.path.endswith("/") else " Addresses end with a slash."
        raise NotFound(f"Nothing is at this address.{slash} The API's are described at /api/docs/.")

    def get(self, request: Request, path: str) -> Response:
        raise NotImplementedError  # initial raises
