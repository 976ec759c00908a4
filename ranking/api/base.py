"""What every view of the API has in common."""

import io
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from ranking.api.authentication import caller, has_scope
from ranking.models import Sight
from ranking.validation.json_body import LARGEST_BODY


class JSONAlways(DefaultContentNegotiation):
    """There is one format: whatever a client says it accepts, it gets that."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        only = next(iter(renderers))
        return only, only.media_type or ""


class ApiView(APIView):
    """Open to anyone unless a view says otherwise; what it answers may depend on the key."""

    permission_classes = [AllowAny]
    content_negotiation_class = JSONAlways
    largest_body = LARGEST_BODY

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        patch_vary_headers(response, ["Authorization"])
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.headers.get("Transfer-Encoding", "").lower() == "chunked":
            _take_chunks(request, self.largest_body + 1)


def _take_chunks(request: Request, most: int) -> None:
    """Read a body sent in chunks, of which WSGI doesn't say how long it is: many clients send no other kind."""
    body = request.META["wsgi.input"].read(most)
    request.META["CONTENT_LENGTH"] = str(len(body))
    request._request._stream = io.BytesIO(body)  # Django's own is empty without a length


def sees_everything(request: Request) -> bool:
    """Whether the caller may see what modes don't show."""
    return has_scope(request, "ratings:hidden")


def sight_of(request: Request) -> Sight:
    """What the caller may see of players who hide their matches."""
    player = caller(request)
    return Sight(None if player is None else player.pk, everything=sees_everything(request))
