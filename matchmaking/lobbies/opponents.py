"""What a lobby tells about its players beside their standings: their form, and how the viewer fared against each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.cache import cache
from django.db.models import OuterRef

from leaderboards.boards.last_changes import read_changes, with_last_changes
from leaderboards.profiles.meetings import Tally, tally_meetings
from matchmaking import lifecycle
from matchmaking.lobbies.page import LobbyPage
from matchmaking.lobbies.sides import LobbySide, Opponent
from matchmaking.models import Lobby
from ranking.models import Player, Rating

_KEPT = 600  # seconds


def with_opponents(page: LobbyPage) -> LobbyPage:
    """Return the page of a lobby in which everybody has accepted, with what it tells of each player; the same page
    before that, and when the lobby is over.

    Three queries, once for each viewer: the answer is kept, as the page asks again and again. Whom a merge brought in
    meanwhile has none.
    """
    lobby, watched = page.lobby, None if page.own is None else page.own.player.pk
    if lobby.state == lifecycle.ACCEPTING or lobby.state not in lifecycle.LOBBY.going_on:
        return page
    key = f"opponents:{lobby.pk}:{watched}"
    found: dict[int, Opponent] | None = cache.get(key)
    if found is None:
        people = {seat.player.pk: seat.player for seat in page.seats}
        forms, tallies = _forms_of(lobby, people, watched), _tallies_of(lobby, people, watched)
        found = {pk: Opponent(forms.get(pk, ()), tallies.get(pk)) for pk in people}
        cache.set(key, found, _KEPT)
    opponents = found

    def with_seats(side: LobbySide) -> LobbySide:
        return replace(side, seats=tuple(replace(seat, opponent=opponents.get(seat.player.pk)) for seat in side.seats))

    return replace(page, sides=tuple(with_seats(side) for side in page.sides))


def _forms_of(lobby: Lobby, people: Mapping[int, Player], watched: int | None) -> dict[int, tuple[str, ...]]:
    mode = lobby.queue.mode
    if len(lobby.teams) > 2:
        return {}
    shown = [pk for pk, player in people.items() if pk == watched or not player.hides_matches]
    ratings: Any = Rating.objects.filter(mode=mode, season__current=True, player__in=shown).order_by()
    rows = with_last_changes(ratings, mode, OuterRef("season"), mode.generation)
    columns = rows.values_list("player", "display_hundredths", "last_changes")
    return {pk: tuple(read_changes(changes, display)[1]) for pk, display, changes in columns}


def _tallies_of(lobby: Lobby, people: Mapping[int, Player], watched: int | None) -> dict[int, Tally]:
    if watched is None or watched not in people:
        return {}
    own = next(team for team in lobby.teams if watched in team)
    return tally_meetings(people[watched], [pk for pk in people if pk not in own], lobby.queue.mode)
