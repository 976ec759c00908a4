"""Which server hosts a lobby: only that one may begin its match."""

from __future__ import annotations

from matchmaking.models import Lobby, Server
from matchmaking.refusals import Refusal
from ranking.models import Source


def check_hosts(lobby: Lobby, source: Source, name: str | None) -> None:
    """Raise Refusal unless the server of this source and name hosts the lobby, or no server does.

    `name` None: not said. A source with several servers has to say it once the lobby has moved from one to another.
    """
    lost, server = lobby.failed_server, lobby.server
    if lost is not None and lost.source_id == source.pk:
        if name == lost.name or (name is None and not _is_of(server, source)):
            raise Refusal("moved")
        if name is None:
            raise Refusal("name")
    if server is not None and not (_is_of(server, source) and name in (None, server.name)):
        raise Refusal("not-yours:server")


def _is_of(server: Server | None, source: Source) -> bool:
    return server is not None and server.source_id == source.pk
