"""`/servers/me/`: a game server says that it is there, and learns what it is to host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking import lifecycle
from matchmaking.api.answers import ServerSerializer, lobby_data
from matchmaking.api.base import IsServer, check_key_is_for, read_body, refusals_as_responses
from matchmaking.api.serializers import ServerRequestSerializer
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.servers import HEARTBEAT, lobbies_of, register_server
from ranking.api.base import ApiView
from ranking.api.pagination import read_query
from ranking.api.schema import documented
from ranking.models import Key, Mode

_TOLD = ("name", "region", "address", "capacity")


class ServerView(ApiView):
    permission_classes = [IsServer]

    @documented(
        "Register, and go on saying so",
        operation_id="put_server",
        description=(
            "Registers the server, or hears from it again: at least every ten seconds, with all of it each time; silent"
            " for thirty it counts as gone. Servers of one source are told apart by `name`. Answers with what to host."
        ),
        request=ServerRequestSerializer,
        answers={200: ServerSerializer},
        problems=[400, 403, 409, 413, 415],
    )
    def put(self, request: Request) -> Response:
        read_query(request)
        said = read_body(ServerRequestSerializer, request)
        modes = _get_modes(request, said["modes"])
        assert isinstance(request.auth, Key)  # noqa: S101 - IsServer let only keys in
        now = timezone.now()
        with refusals_as_responses("There is no such server."):
            server = register_server(
                request.auth.source, **{name: said[name] for name in (*_TOLD, "state")}, modes=modes, now=now
            )
        given = list(lobbies_of(server).select_related("queue__mode", "server"))
        given.sort(key=lambda lobby: lobby.state != lifecycle.READY)
        hosted = [lobby_data(load_lobby_page(lobby, None, now)) for lobby in given]
        about = {name: getattr(server, name) for name in _TOLD}
        return Response({
            **about, "modes": [mode.slug for mode in modes], "heartbeat_seconds": int(HEARTBEAT.total_seconds()),
            "lobby": hosted[0] if hosted else None, "lobbies": hosted,
        })  # fmt: skip


def _get_modes(request: Request, slugs: Sequence[str]) -> list[Mode]:
    """The modes of these slugs, in order, once each; raises ValidationError for one that there isn't."""
    found = {mode.slug: mode for mode in Mode.objects.filter(slug__in=slugs)}
    faults: Any = {index: [f"There is no mode {slug!r}."] for index, slug in enumerate(slugs) if slug not in found}
    if faults:
        raise ValidationError({"modes": faults})
    modes = [found[slug] for slug in dict.fromkeys(slugs)]
    for mode in modes:
        check_key_is_for(request, mode)
    return modes
