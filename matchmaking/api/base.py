"""What the views of this API have in common: permissions, responses to refusals, request bodies, the modes of a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from matchmaking.problem_codes import RESTRICTIONS
from matchmaking.refusals import Refusal
from ranking.api.authentication import MayCall, key_behind, slugs_of
from ranking.api.base import ApiView, Conflict, NeedsCaller
from ranking.models import Mode
from ranking.moderation.eligibility import MayNotQueue
from ranking.validation.problems import problem_codes

# The field that is at fault, by the refusal's code.
FIELDS = {
    "width": "width",
    "ping": "regions",
    "region": "regions",
    "regions": "regions",
    "no-region": "regions",
    "address": "address",
    "modes": "modes",
    "capacity": "capacity",
    "scores": "matches",
    "name": "name",
    "stranger": "players",
    "yourself": "player",
}
_ERRORS = {403: PermissionDenied, 404: NotFound, 409: Conflict}


class IsServer(MayCall):
    """A key with the scope `servers`."""

    scope = "servers"


class IsPlayerOrServer(MayCall):
    """A player, or a key with the scope `servers`."""

    scope = "servers"
    players = True


class MatchmakingView(ApiView):
    """A view for players, and for game servers on their behalf."""

    permission_classes = [IsPlayerOrServer]
    anonymous_error = NeedsCaller


@contextmanager
def refusals_as_responses(missing: str) -> Iterator[None]:
    """Turn refusals into API errors with their status and field.

    `missing`: the sentence of a 404, for a thing that isn't the caller's.
    """
    try:
        yield
    except MayNotQueue as error:
        raise PermissionDenied(str(error), RESTRICTIONS[error.restriction.reason]) from error
    except Refusal as refusal:
        raise _error(refusal, missing) from refusal


class RefusedField(ValidationError):
    """A refusal for which a field is at fault."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__({FIELDS[refusal.code]: [str(refusal)]})
        self.problem_code = refusal.code


def _error(refusal: Refusal, missing: str) -> Exception:
    status = problem_codes()[refusal.code].status
    if status == 400:
        return RefusedField(refusal)
    error = _ERRORS[status](missing if status == 404 else str(refusal), refusal.code)
    if refusal.values.get("ticket") is not None:
        error.members = {"ticket": refusal.values["ticket"]}  # type: ignore[attr-defined]  # see problem_response
    return error


def read_body(serializer: type[BaseSerializer[Any]], request: Request) -> Mapping[str, Any]:
    """The request's body, validated. Raises ValidationError."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    values: Mapping[str, Any] = body.validated_data
    return values


def check_key_is_for(request: Request, mode: Mode) -> None:
    """Raise PermissionDenied if the caller's key, or the key of a player's token, is for other modes."""
    key = key_behind(request)
    slugs = None if key is None else slugs_of(key)
    if slugs is not None and mode.slug not in slugs:
        what = "key" if key is request.auth else "token's key"
        raise PermissionDenied(f"This {what} isn't for the mode {mode.slug!r}.", "other-mode")
