"""What every view of the API has in common: rendering, request bodies, permissions of players, what a caller sees."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import APIException, NotAuthenticated, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from ranking.api.authentication import IsPlayer, caller, has_scope, slugs_of
from ranking.api.idempotency import TAKES_KEY, answer_once, is_repeatable
from ranking.api.pagination import QUERY, QuerySerializer, read_query
from ranking.models import Key, Player, ReadAccess
from ranking.validation.json_body import LARGEST_BODY


class NeedsPlayer(NotAuthenticated):
    default_detail = "This needs a player's token: 'Authorization: Bearer <token>'."


class NeedsCaller(NotAuthenticated):
    default_detail = "This needs a player's token, or a key: 'Authorization: Bearer <token or key>'."


class Conflict(APIException):
    status_code = 409
    default_code = "conflict"


class JSONAlways(DefaultContentNegotiation):
    """Answers are always JSON, whatever the client's Accept header says."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        only = next(iter(renderers))
        return only, only.media_type or ""


class ApiView(APIView):
    """A view of the API: open to anyone unless a subclass sets permissions. Its answer may depend on the key.

    `anonymous_error`: raised instead of DRF's NotAuthenticated if a request without key or token is refused.
    `checks_query`: parameters of the address that a method doesn't declare are refused (ranking.api.schema.documented).
    `once_by_itself`: doing the same twice changes nothing, so that a write with an Idempotency-Key needs no
    transaction around it.
    """

    permission_classes = [AllowAny]
    content_negotiation_class = JSONAlways
    largest_body = LARGEST_BODY
    anonymous_error: type[NotAuthenticated] | None = None
    checks_query = True
    once_by_itself = False

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        patch_vary_headers(response, ["Authorization"])
        return response

    def perform_authentication(self, request: Request) -> None:
        """Authenticate, and count the request at once: what the caller may not do counts, too."""
        super().perform_authentication(request)
        super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Count nothing a second time."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        name = str(request.method).lower()
        handler = getattr(self, name, None)
        if handler is None or name == "options":
            return
        query = read_query(request, getattr(handler, QUERY, QuerySerializer)) if self.checks_query else {}
        # A dry run has nothing that could be done twice.
        if getattr(handler, TAKES_KEY, False) and not query.get("dry_run") and is_repeatable(request):
            act = partial(answer_once, self.once_by_itself, handler)
            setattr(self, name, act)  # the view serves this request only

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> Any:
        if self.anonymous_error is not None and request.auth is None:
            raise self.anonymous_error
        super().permission_denied(request, message, code)


class PlayersOnlyView(ApiView):
    """A view that only players may call."""

    permission_classes = [IsPlayer]
    anonymous_error = NeedsPlayer


def get_caller(request: Request) -> Player:
    """The player who calls. Raises NeedsPlayer."""
    player = caller(request)
    if player is None:
        raise NeedsPlayer
    return player


def get_numbered(rows: Any, number: int, noun: str) -> Any:
    """The row with this number, of a queryset. `noun`: what it is. Raises NotFound."""
    row = rows.filter(pk=number).first()
    if row is None:
        raise NotFound(f"There is no {noun} {number}.")
    return row


def sees_everything(request: Request, slug: str) -> bool:
    """True if the caller may see what this mode doesn't show. "" means all modes together."""
    if not isinstance(request.auth, Key) or not has_scope(request, "ratings:hidden"):
        return False
    slugs = slugs_of(request.auth)
    return slugs is None or slug in slugs


def read_access_of(request: Request, slug: str) -> ReadAccess:
    """What the caller may see, in a mode, of players who hide their matches. "" means all modes together."""
    player = caller(request)
    return ReadAccess(None if player is None else player.pk, everything=sees_everything(request, slug))
