"""Ratings and published standings of a lobby's players, as the lobby's page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, ngettext

from leaderboards.boards.published import Published, Standing, published_with, with_snapshot
from leaderboards.display.numbers import rating_text
from matchmaking.models import Lobby
from ranking.models import Mode, Player, Rating, Season
from ranking.modes.season_entries import entering_ratings
from ranking.players.visibility import shown
from ranking.standings.placement import placement_of


@dataclass(frozen=True, slots=True)
class Field:
    """A lobby's players and their ratings, by the player's id, and the board as it was published when they were read.

    A player who hasn't entered the season yet has the rating of their entry; newcomers have none. `board` None: it
    never was published, or none of them is on it yet.
    """

    players: Mapping[int, Any]
    ratings: Mapping[int, Any]
    board: Published | None


def read_field(lobby: Lobby, mode: Mode) -> Field:
    """Read the players of a lobby and their ratings. Two queries, and those of `with_entries`. Raises Superseded."""
    players = Player.objects.in_bulk(lobby.players)
    rows = list(with_snapshot(Rating.objects.filter(mode=mode, season__current=True, player__in=lobby.players)))
    board = published_with(rows[0], mode) if rows and mode.ranked else None
    return Field(players, with_entries(mode, lobby, {rating.player_id: rating for rating in rows}), board)


def standings_of(field: Field) -> dict[int, Standing]:
    """The published standings of the listed players."""
    if field.board is None:
        return {}
    listed = {player: rating for player, rating in field.ratings.items() if rating.listed}
    return {player: field.board.standing(rating.published_hundredths) for player, rating in listed.items()}


def with_entries(mode: Mode, lobby: Lobby, ratings: Mapping[int, Any]) -> dict[int, Any]:
    """These ratings of a lobby's players, and those of players who haven't entered the season yet; see season_entries.

    No query if all have entered it; else one in the mode's first season, four in a later one.
    """
    missing = set(lobby.players) - ratings.keys()
    if not missing:
        return dict(ratings)
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    return {**ratings, **entering_ratings(season, missing)}


def published_rating(rating: Rating | None, mode: Mode, decimals: int) -> str:
    """The published rating as text; empty if there is none or the mode hides it."""
    value = rating.published_hundredths if rating is not None and rating.listed else None
    return rating_text(value, decimals) if value is not None and shown(mode).rating else ""


def absence_of(rating: Rating | None, mode: Mode) -> str:
    """Why a player has no standing, in words; empty if the player has one, or the mode is unranked."""
    if not mode.ranked or (rating is not None and rating.listed):
        return ""
    done, needed = (rating.placement_done, placement_of(rating, mode)) if rating else (0, mode.placement_matches)
    if done >= needed:
        return gettext("not listed now")
    words = ngettext("%(done)d of %(count)d placement match", "%(done)d of %(count)d placement matches", needed)
    return words % {"done": done, "count": needed}
