"""Matches that are being played, for everybody to see: some minutes late, and without the names of players who hide."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from matchmaking import lifecycle
from matchmaking.models import Lobby, TicketMember
from ranking.models import Mode, Player

DELAY = dt.timedelta(minutes=3)  # so that nobody can follow players into their match
MOST = 6


@dataclass(frozen=True, slots=True)
class MatchUnderWay:
    """A match and its teams; a team has None for each player who hides."""

    mode: Mode
    variant: str
    region: str
    started_at: dt.datetime
    teams: list[list[Player | None]]


def find_under_way(now: dt.datetime) -> list[MatchUnderWay]:
    """Return the matches that began DELAY ago or earlier, the latest first. Two queries, one if there is none."""
    lobbies = _shown(now).select_related("queue__mode").order_by("-started_at", "key")[:MOST]
    found: list[Lobby] = list(lobbies)
    ids = {player for lobby in found for player in lobby.players}
    visible = Player.objects.filter(pk__in=ids, hides_matches=False, hidden_at__isnull=True) if ids else ()
    players = {player.pk: player for player in visible}
    return [
        MatchUnderWay(
            mode=lobby.queue.mode,
            variant=lobby.variant,
            region=lobby.region,
            started_at=lobby.started_at,  # type: ignore[arg-type]  # lobby_live_has_started
            teams=[[players.get(player) for player in team] for team in lobby.teams],
        )
        for lobby in found
    ]


def find_playing(players: Iterable[int], now: dt.datetime) -> frozenset[int]:
    """Return which of these players are in a match that everybody may see. One query, none for nobody."""
    ids: Sequence[int] = list(players)
    if not ids:
        return frozenset()
    playing = TicketMember.objects.filter(
        live=True, player__in=ids, player__hides_matches=False, player__hidden_at__isnull=True,
        ticket__lobby__in=_shown(now),
    )  # fmt: skip
    return frozenset(playing.values_list("player", flat=True))


def _shown(now: dt.datetime) -> QuerySet[Lobby]:
    return Lobby.objects.filter(state=lifecycle.LIVE, started_at__lte=now - DELAY)
