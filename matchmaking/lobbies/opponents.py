"""What a lobby tells about its players beside their standings: their form, and how the viewer fared against each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import OuterRef

from leaderboards.boards.last_changes import read_changes, with_last_changes
from leaderboards.profiles.meetings import Tally, tally_meetings
from matchmaking import lifecycle
from matchmaking.models import Lobby
from ranking.models import Player, Rating

_KEPT = 600  # seconds


@dataclass(frozen=True, slots=True)
class Opponent:
    """`form`: outcomes of the last matches of the season, oldest first; empty if the player hides their matches, and
    with more than two teams. `tally`: the viewer's record against the player; None if they are team-mates or never met.
    """

    form: tuple[str, ...] = ()
    tally: Tally | None = None


def find_opponents(lobby: Lobby, people: Mapping[int, Player], watched: int | None) -> dict[int, Opponent]:
    """The players of a lobby in which everybody has accepted, by id; empty before that, and when it is over.

    Three queries, once for each viewer: it is kept, as the page asks again and again.
    """
    if lobby.state == lifecycle.ACCEPTING or lobby.state not in lifecycle.LOBBY.going_on:
        return {}
    key = f"opponents:{lobby.pk}:{watched}"
    found: dict[int, Opponent] | None = cache.get(key)
    if found is None:
        forms, tallies = _forms_of(lobby, people, watched), _tallies_of(lobby, people, watched)
        found = {pk: Opponent(forms.get(pk, ()), tallies.get(pk)) for pk in people}
        cache.set(key, found, _KEPT)
    return found


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
