"""All matches of a player in a mode and a season, page by page, filtered by map, result and who else played."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from leaderboards.boards.absence import sees_live_rating
from leaderboards.boards.boards import Board, board_of_rating
from leaderboards.profiles.matches.match_filters import MatchFilter, results_of
from leaderboards.profiles.matches.recent_matches import Recent, load_recent
from leaderboards.profiles.profiles import (
    choose,
    find_absence,
    find_last_rating,
    find_played_seasons,
    find_ratings,
    get_season_rating,
)
from ranking.models import Change, Match, Player, Rating, ReadAccess, Season
from ranking.players.players import find_player

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

COUNTED = 500  # the newest matches, whose maps can be chosen
MAPS = 12


@dataclass(frozen=True, slots=True)
class MatchList:
    """What the template shows. `recent` is None if the viewer may not see the matches.

    `seasons`: those of the mode that the player has played, the latest first. `season`: the number of the one that the
    address asks for; None: the latest.

    `hiding`: the other player of the filter, if they hide their matches; then nothing is listed. `results`: the names
    of the results that can be chosen, by their keys.
    """

    player: Player
    ratings: list[Any]
    board: Board
    rating: RatingWithBoard
    wanted: MatchFilter
    recent: Recent | None
    hiding: Player | None
    maps: list[str]
    results: dict[str, str]
    seasons: list[Season]
    season: int | None

    @property
    def address(self) -> str:
        """The query of this page's address, with its filters."""
        return self._address("map", "result", "with")

    @property
    def address_without_map(self) -> str:
        return self._address("result", "with")

    @property
    def address_without_result(self) -> str:
        return self._address("map", "with")

    @property
    def address_without_other(self) -> str:
        return self._address("map", "result")

    def _address(self, *names: str) -> str:
        wanted = self.wanted
        values = {"map": wanted.variant, "result": wanted.result, "with": wanted.other.key if wanted.other else ""}
        filters = {name: values[name] for name in names if values[name]}
        season = {} if self.season is None else {"season": self.season}
        return urlencode({"mode": self.board.mode.slug} | season | filters)


def load_match_list(
    player: Player,
    slug: str,
    *,
    variant: str = "",
    result: str = "",
    other: str = "",
    season: int | None = None,
    before: int | None = None,
    access: ReadAccess,
    now: dt.datetime,
) -> MatchList | None:
    """Return a page of matches in a mode; None if the player never played it. Nine queries at most.

    `variant`, `result` and the key `other` filter; a value that the mode or the site doesn't know is ignored. `season`:
    its number; without one, the latest that the player played.
    """
    ratings = find_ratings(player)
    latest = choose(ratings, slug) or find_last_rating(player, slug)
    if latest is None:
        return None
    seasons = (
        find_played_seasons(latest)
        if player.hidden_at is None or access.everything or access.player_id == player.pk
        else []
    )
    number = season if any(season == known.number for known in seasons) else None
    rating = latest if number is None else get_season_rating(player, latest.mode_id, number)
    board = board_of_rating(rating)
    results = results_of(board.mode)
    company = find_player(other) if other else None
    wanted = MatchFilter(variant, result if result in results else "", None if company == player else company)
    seen = player.shows_matches_to(access)
    hiding = company if company is not None and not company.shows_matches_to(access) else None
    absence = find_absence(rating, player, board, now) if board.mode.ranked else None
    live = sees_live_rating(absence, player, access)
    recent = load_recent(board, rating, live=live, before=before, wanted=wanted) if seen and hiding is None else None
    return MatchList(
        player, ratings, board, rating, wanted, recent, hiding if seen else None,
        _maps(rating, board.mode.generation) if seen else [], results, seasons, number,
    )  # fmt: skip


def _maps(rating: Rating, generation: int) -> list[str]:
    """Return the maps of the newest COUNTED matches, by name: one query."""
    changes = Change.objects.live(generation).filter(
        player=rating.player_id, mode=rating.mode_id, season=rating.season_id, kind=Change.MATCH
    )
    newest = changes.order_by("-event").values("match")[:COUNTED]
    maps = Match.objects.filter(pk__in=newest).exclude(variant="").order_by("variant")
    return list(maps.values_list("variant", flat=True).distinct()[:MAPS])
