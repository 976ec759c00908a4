"""`/servers/me/`: a game server registers, sends its heartbeat, and learns which lobbies it hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from matchmaking import lifecycle
from matchmaking.api.base import IsServer, check_key_is_for, read_body, refusals_as_responses
from matchmaking.api.lobby_answers import LobbySerializer
from matchmaking.api.serializers import ServerQuerySerializer, ServerRequestSerializer
from matchmaking.lobbies.page import LobbyPage, load_lobby_page
from matchmaking.lobbies.silence import note_scores
from matchmaking.models import Server
from matchmaking.servers import HEARTBEAT, lobbies_of, register_server, sign_off
from ranking.api.authentication import slugs_of
from ranking.api.base import ApiView
from ranking.api.output import OutputSerializer
from ranking.api.pagination import read_query
from ranking.api.schema import documented
from ranking.models import Key, Mode
from ranking.modes.unknown_modes import unknown_modes

EXAMPLE = {"name": "eu1", "region": "eu", "address": "203.0.113.7:7777", "modes": ["duel"], "capacity": 1}
_FIELDS = ("name", "region", "address", "capacity", "state")  # of the body that `register_server` takes as they are


@dataclass(frozen=True, slots=True)
class HostingServer:
    """A server that sent its heartbeat; `lobbies`: those that it hosts, which are to begin first."""

    server: Server
    modes: Sequence[Mode]
    lobbies: Sequence[LobbyPage]

    @property
    def lobby(self) -> LobbyPage | None:
        return self.lobbies[0] if self.lobbies else None


class ServerSerializer(OutputSerializer[HostingServer]):
    name = serializers.CharField(source="server.name", allow_blank=True)
    region = serializers.CharField(source="server.region", allow_blank=True)
    address = serializers.CharField(source="server.address")
    capacity = serializers.IntegerField(source="server.capacity")
    modes = serializers.ListField(child=serializers.CharField())
    heartbeat_seconds = serializers.IntegerField(help_text="Be heard from again within so many.")
    lobby = LobbySerializer(allow_null=True, help_text="The one to begin, else one that is being played here.")
    lobbies = LobbySerializer(many=True, help_text="All that are to be played or being played here.")

    @staticmethod
    def fill_modes(hosting: HostingServer) -> list[str]:
        return [mode.slug for mode in hosting.modes]

    @staticmethod
    def fill_heartbeat_seconds(hosting: HostingServer) -> int:
        return int(HEARTBEAT.total_seconds())


class ServerView(ApiView):
    permission_classes = [IsServer]

    @documented(
        "Send a server's heartbeat",
        operation_id="put_server",
        description=(
            "Registers the server, or renews its registration. Call it at least every ten seconds, each time with all"
            " fields; a server that is silent for thirty seconds counts as gone. `name` tells the servers of one source"
            " apart. Answers with the lobbies to host."
        ),
        request=ServerRequestSerializer,
        examples=[OpenApiExample("A server of one match at a time", value=EXAMPLE, request_only=True)],
        answers={200: ServerSerializer},
        problems=[400, 403, 409, 413, 415],
    )
    def put(self, request: Request) -> Response:
        body = read_body(ServerRequestSerializer, request)
        modes = _get_modes(request, body["modes"])
        assert isinstance(request.auth, Key)  # noqa: S101 - IsServer let only keys in
        now = timezone.now()
        with refusals_as_responses("There is no such server."):
            server = register_server(
                request.auth.source, **{name: body[name] for name in _FIELDS}, modes=modes, now=now
            )
            if "matches" in body:
                note_scores(server, {match["lobby"]: match["scores"] for match in body["matches"]})
        lobbies = list(lobbies_of(server).select_related("queue__mode", "server"))
        if (slugs := slugs_of(request.auth)) is not None:  # another key of this source may host others here
            lobbies = [lobby for lobby in lobbies if lobby.queue.mode.slug in slugs]
        lobbies.sort(key=lambda lobby: lobby.state != lifecycle.READY)
        pages = [load_lobby_page(lobby, None, now) for lobby in lobbies]
        return Response(ServerSerializer.fill(HostingServer(server, modes, pages)))

    @documented(
        "Sign off",
        operation_id="delete_server",
        description=(
            "The server has ended: it counts as gone at once, not only after thirty seconds. Lobbies that it should"
            " host go on with another server, or fall through. A heartbeat registers it again."
        ),
        query=ServerQuerySerializer,
        answers={204: None},
        problems=[400, 403, 404],
    )
    def delete(self, request: Request) -> Response:
        name = read_query(request, ServerQuerySerializer).get("name", "")
        assert isinstance(request.auth, Key)  # noqa: S101 - IsServer let only keys in
        if sign_off(request.auth.source, name=name, now=timezone.now()) is None:
            raise NotFound(f"There is no server {name!r} of your source.")
        return Response(status=204)


def _get_modes(request: Request, slugs: Sequence[str]) -> list[Mode]:
    """The modes of these slugs, in order, without repeats. Raises ValidationError for an unknown slug."""
    known = {mode.slug: mode for mode in Mode.objects.filter(slug__in=slugs)}
    missing = unknown_modes({*slugs} - known.keys())
    faults: Any = {
        index: [ErrorDetail(missing[slug], "unknown")] for index, slug in enumerate(slugs) if slug in missing
    }
    if faults:
        raise ValidationError({"modes": faults})
    modes = [known[slug] for slug in dict.fromkeys(slugs)]
    for mode in modes:
        check_key_is_for(request, mode)
    return modes
