"""Matches that are being played, for everybody to see: some minutes late, and without the names of players who hide.

Friends see at once that somebody plays: players who follow each other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import BigIntegerField, DateTimeField, Exists, OuterRef, Q, QuerySet

from leaderboards.models import Following
from matchmaking import lifecycle
from matchmaking.models import Lobby, TicketMember
from matchmaking.queues.waits import AT_PLAY
from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models
from ranking.models import Mode, Player

DELAY = dt.timedelta(minutes=3)  # so that nobody can follow players into their match
MOST = 6
_SHOWN = {"hides_matches": False, "hides_playing": False, "hidden_at__isnull": True}


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
    found = _lobbies().objects(until=now - DELAY)
    ids = {player for lobby in found for player in lobby.players}
    visible = Player.objects.filter(pk__in=ids, **_SHOWN) if ids else ()
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


def find_playing(players: Iterable[int], now: dt.datetime, *, viewer: int | None = None) -> frozenset[int]:
    """Return which of these players are in a match that everybody may see, or, if they are friends of the viewer (an
    id), in one that all have accepted. One query, none for nobody.
    """
    ids: Sequence[int] = list(players)
    if not ids:
        return frozenset()
    playing = _playing(viewer, now - DELAY).filter(player__in=ids)
    return frozenset(playing.values_list("player", flat=True))


def find_playing_friends(viewer: int, now: dt.datetime) -> list[tuple[Player, Mode]]:
    """Return friends of a viewer (an id) who play, and what, MOST at most, by name. One query."""
    rows = _playing_friends().objects(viewer=viewer, until=now - DELAY)
    return [(row.player, row.ticket.queue.mode) for row in rows]


@cache
def _lobbies() -> PreparedModels[Lobby]:
    shown = _shown(Placeholder("until", DateTimeField()))
    return prepare_models(shown.select_related("queue__mode").order_by("-started_at", "key")[:MOST])


@cache
def _playing_friends() -> PreparedModels[TicketMember]:
    viewer = Placeholder("viewer", BigIntegerField())
    followed = Following.objects.filter(follower=viewer).values("followed")
    playing = _playing(viewer, Placeholder("until", DateTimeField())).filter(player__in=followed)
    return prepare_models(
        playing.select_related("player", "ticket__queue__mode").order_by("player__name", "player")[:MOST]
    )


def _playing(viewer: Any, until: object) -> QuerySet[TicketMember]:
    """Return who is in a match, as far as they let the viewer know. Both parameters are values or placeholders."""
    known = Q(ticket__lobby__in=_shown(until))
    if viewer is not None:
        follows = Following.objects.filter(follower=OuterRef("player"), followed=viewer)
        followed = Following.objects.filter(follower=viewer, followed=OuterRef("player"))
        known |= Q(Exists(follows) & Exists(followed), ticket__lobby__state__in=AT_PLAY)
    return TicketMember.objects.filter(known, live=True, **{f"player__{name}": value for name, value in _SHOWN.items()})


def _shown(until: object) -> QuerySet[Lobby]:
    """Return the matches that began then or earlier."""
    return Lobby.objects.filter(state=lifecycle.LIVE, started_at__lte=until)
