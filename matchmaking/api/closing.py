"""`/lobbies/{id}/close/`: moderators call a lobby's match off."""

from __future__ import annotations

from django.utils import timezone
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking import lifecycle
from matchmaking.api.base import refusals_as_responses
from matchmaking.api.lobby_answers import LobbySerializer
from matchmaking.lobbies.accepting import get_lobby
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.models import Lobby
from matchmaking.operations.closing import close_lobby
from matchmaking.refusals import Refusal
from ranking.api.authentication import check_is_for
from ranking.api.moderation.authors import ActSerializer, ModeratingView, read_act
from ranking.api.schema import documented

CLOSED = (lifecycle.ABORTED, lifecycle.CANCELLED)  # the states of lobbies that were closed before


class CloseView(ModeratingView):
    @documented(
        "Call the match of a lobby off, as a moderator",
        operation_id="close_lobby",
        description=(
            "Whether it runs or hasn't begun: nobody's rating changes, and nobody is punished. Before the start, its"
            " players wait on, in their old places. After it, whoever queues again within 15 minutes keeps the time"
            " that they had waited. Sent again, it changes nothing. The author needs the right to change lobbies."
        ),
        request=ActSerializer,
        answers={200: LobbySerializer},
        problems=[400, 403, 404, 409, 415],
    )
    def post(self, request: Request, key: str) -> Response:
        act = read_act(request, "matchmaking.change_lobby")
        lobby = _get_lobby(key)
        check_is_for(request, lobby.queue.mode.slug)
        closed = act.carry_out(close_lobby, lobby)
        lobby = _get_lobby(key)
        if not closed and lobby.state not in CLOSED:
            with refusals_as_responses(_missing(key)):
                raise Refusal(f"over:{lobby.state}")
        return Response(LobbySerializer.fill(load_lobby_page(lobby, None, timezone.now())))


def _get_lobby(key: str) -> Lobby:
    try:
        return get_lobby(key)
    except Lobby.DoesNotExist as error:
        raise NotFound(_missing(key)) from error


def _missing(key: str) -> str:
    return f"There is no lobby {key!r}."
