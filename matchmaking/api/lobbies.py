"""`/lobbies/{id}/`: a lobby for its players; the server that hosts it starts the match, or calls it off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking.api.base import IsServer, check_key_is_for, read_body, refusals_as_responses
from matchmaking.api.lobby_answers import LobbySerializer
from matchmaking.api.serializers import AbortSerializer, StartSerializer
from matchmaking.lobbies import aborting, accepting, playing
from matchmaking.lobbies.page import is_player_of, load_lobby_page
from matchmaking.models import Lobby
from ranking.api.base import ApiView, PlayersOnlyView, get_caller
from ranking.api.schema import F, documented
from ranking.models import Key, Player

_REFUSED = [400, 403, 404, 409]


class LobbyView(PlayersOnlyView):
    @documented(
        "A lobby",
        operation_id="get_lobby",
        description=(
            "Until all have accepted (`blind`): the mode, the region, how many have accepted, how even the match is."
            " From then on: the teams, everybody's standing, the map, the chances, and the stakes. 404 for everybody"
            " but its players."
        ),
        answers={200: LobbySerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, key: str) -> Response:
        player, lobby = _get_own(request, key)
        return Response(_answer(lobby, player))


class _ActView(PlayersOnlyView):
    """An act of one of the lobby's players; `act` takes the lobby's id and the player."""

    act: Callable[..., Any]

    def do(self, request: Request, key: str) -> Response:
        player, lobby = _get_own(request, key)
        with refusals_as_responses(_missing(key)):
            type(self).act(lobby.pk, player, now=timezone.now())
        return Response(_answer(accepting.get_lobby(key), player))


def _acts(summary: str, operation_id: str, description: str) -> Callable[[F], F]:
    return documented(
        summary,
        operation_id=operation_id,
        description=description,
        request=None,
        answers={200: LobbySerializer},
        problems=_REFUSED,
    )


class SeenView(_ActView):
    act = staticmethod(accepting.note_seen)

    @_acts("The prompt was seen", "see_lobby", "From then on, a player who doesn't answer has missed an accept.")
    def post(self, request: Request, key: str) -> Response:
        return self.do(request, key)


class AcceptView(_ActView):
    once_by_itself = True  # and a player who may not queue any more ends the lobby, although they are refused
    act = staticmethod(accepting.accept)

    @_acts("Accept", "accept_lobby", "Once everybody has accepted, a server is claimed. Accepting again does nothing.")
    def post(self, request: Request, key: str) -> Response:
        return self.do(request, key)


class DeclineView(_ActView):
    act = staticmethod(accepting.decline)

    @_acts("Decline", "decline_lobby", "A missed accept; the others go back to the queue, in their old place.")
    def post(self, request: Request, key: str) -> Response:
        return self.do(request, key)


class LeaveView(_ActView):
    act = staticmethod(playing.leave_lobby)

    @_acts("Drop out", "leave_lobby", "After everybody accepted, before the start: a forfeit, which costs rating.")
    def post(self, request: Request, key: str) -> Response:
        return self.do(request, key)


class StartView(ApiView):
    permission_classes = [IsServer]

    @documented(
        "Begin the match of a lobby",
        operation_id="start_lobby",
        description=(
            "Says which players are present. A player who is absent has dropped out: the lobby's state is then"
            " `forfeited`, the match doesn't take place, and the others go back to the queue. If nobody is present, it"
            " is `cancelled`: all go back to the queue, and the failed start counts against the server. Starting again"
            " does nothing. A lobby that isn't begun in time moves to another server; then this one gets 409."
        ),
        request=StartSerializer,
        examples=[OpenApiExample("Both have come", value={"players": ["p1", "p2"]}, request_only=True)],
        answers={200: LobbySerializer},
        problems=[*_REFUSED, 413, 415],
    )
    def post(self, request: Request, key: str) -> Response:
        body = read_body(StartSerializer, request)
        lobby = _get_lobby(key)
        check_key_is_for(request, lobby.queue.mode)
        assert isinstance(request.auth, Key)  # noqa: S101 - IsServer let only keys in
        with refusals_as_responses(_missing(key)):
            playing.start_match(
                lobby.pk, source=request.auth.source, name=body.get("name"), present=body["players"], now=timezone.now()
            )
        return Response(_answer(accepting.get_lobby(key), None))


class AbortView(ApiView):
    permission_classes = [IsServer]

    @documented(
        "Call the match of a lobby off",
        operation_id="abort_lobby",
        description=(
            "By the server that hosts it, once all have accepted: the lobby's state is `aborted`, nobody's rating"
            " changes, and nobody is punished. Before the start, the players wait on, in their old places. After it,"
            " whoever queues again within 15 minutes keeps the time that they had waited. Sent again, it changes"
            " nothing. Servers and keys that call many matches off are shown to moderators."
        ),
        request=AbortSerializer,
        examples=[OpenApiExample("The map crashed", value={"reason": "The map crashed."}, request_only=True)],
        answers={200: LobbySerializer},
        problems=[*_REFUSED, 413, 415],
    )
    def post(self, request: Request, key: str) -> Response:
        body = read_body(AbortSerializer, request)
        lobby = _get_lobby(key)
        check_key_is_for(request, lobby.queue.mode)
        assert isinstance(request.auth, Key)  # noqa: S101 - IsServer let only keys in
        with refusals_as_responses(_missing(key)):
            aborting.abort_lobby(lobby.pk, source=request.auth.source, **body, now=timezone.now())
        return Response(_answer(accepting.get_lobby(key), None))


def _answer(lobby: Lobby, player: Player | None) -> dict[str, Any]:
    return LobbySerializer.fill(load_lobby_page(lobby, player, timezone.now()))


def _get_lobby(key: str) -> Lobby:
    try:
        return accepting.get_lobby(key)
    except Lobby.DoesNotExist as error:
        raise NotFound(_missing(key)) from error


def _get_own(request: Request, key: str) -> tuple[Player, Lobby]:
    """The caller and the lobby. Raises NotFound unless the caller is in it, so nobody else learns that it exists.

    Raises PermissionDenied if the key of the caller's token is for other modes.
    """
    player, lobby = get_caller(request), _get_lobby(key)
    if not is_player_of(lobby, player):
        raise NotFound(_missing(key))
    check_key_is_for(request, lobby.queue.mode)
    return player, lobby


def _missing(key: str) -> str:
    return f"There is no lobby {key!r}."
