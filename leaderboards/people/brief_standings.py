"""What stands beside names on lists of people: rank and tier in the modes played last, and when that was."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboards.boards.boards import BEGUN, PLAYED_LAST, Board, board_of_rating, ratings_with_boards
from leaderboards.boards.published import Standing, published_with, read_consistently
from ranking.models import Player, Rating, ReadAccess

MODES = 2  # shown beside a name


@dataclass(frozen=True, slots=True)
class BriefStanding:
    """Standings on the boards of the ranked modes played last, latest first, MODES at most; `more`: on other boards.

    `last_match_at`: None if the player hasn't played in a current season, or hides their matches from the viewer.
    """

    boards: list[tuple[Board, Standing]] = field(default_factory=list)
    more: int = 0
    last_match_at: dt.datetime | None = None


def load_brief_standings(players: Sequence[Player], access: ReadAccess) -> dict[int, BriefStanding]:
    """Return the standing of each player by id: one query, one more for each board whose table isn't in memory."""
    return read_consistently(lambda: _load(players, access)) if players else {}


def _load(players: Sequence[Player], access: ReadAccess) -> dict[int, BriefStanding]:
    """Raise Superseded."""
    ratings = Rating.objects.filter(BEGUN, player__in=players, season__current=True)
    by_player = defaultdict(list)
    for rating in ratings_with_boards(ratings).order_by(PLAYED_LAST, "id"):
        by_player[rating.player_id].append(rating)
    return {player.pk: _standing(player, by_player[player.pk], access) for player in players}


def _standing(player: Player, ratings: Sequence[Any], access: ReadAccess) -> BriefStanding:
    boards = []
    for rating in ratings:
        if not rating.listed or not rating.mode.ranked:
            continue
        published = published_with(rating, rating.mode)
        if published is not None:
            boards.append((board_of_rating(rating), published.standing(rating.published_hundredths)))
    last = ratings[0].last_match_at if ratings and player.shows_matches_to(access) else None
    return BriefStanding(boards[:MODES], len(boards[MODES:]), last)
