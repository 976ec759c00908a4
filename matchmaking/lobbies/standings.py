"""Ratings and published standings of a lobby's players, as the lobby's page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from leaderboards.boards.published import Standing, published_with, with_snapshot
from leaderboards.display.numbers import rating_text
from matchmaking.models import Lobby
from ranking.models import Mode, Rating, Season
from ranking.modes.season_entries import entering_ratings
from ranking.players.visibility import shown
from ranking.standings.placement import placement_of


def read_standings(lobby: Lobby, mode: Mode) -> tuple[dict[int, Any], dict[int, Standing]]:
    """Ratings by player, and the standings of listed players. Raises Superseded.

    A player who hasn't entered the season yet has the rating of their entry.
    """
    rows = with_snapshot(Rating.objects.filter(mode=mode, season__current=True, player__in=lobby.players))
    ratings: dict[int, Any] = {rating.player_id: rating for rating in rows}
    standings = {}
    for player, rating in ratings.items():
        if rating.listed and mode.ranked and (board := published_with(rating, mode)) is not None:
            standings[player] = board.standing(rating.published_hundredths)
    return with_entries(mode, lobby, ratings), standings


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
