"""The champions of the seasons that ended within the last week, for the front page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, Subquery

from leaderboards.boards.boards import ORDER, Board, board_of
from leaderboards.boards.boards import seasons as read_seasons
from leaderboards.boards.past_seasons import CHAMPIONS, Champion, champions_of
from ranking.models import Rating, Season
from ranking.seasons.strikes import strike_in_force

SHOWN_FOR = dt.timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LastSeason:
    """An archived season of a mode, with its best players."""

    board: Board
    champions: Sequence[Champion]


def load_last_seasons(current: Sequence[Season], now: dt.datetime) -> list[LastSeason]:
    """Return the seasons before these current ones that ended within SHOWN_FOR and have champions.

    Two queries; none if no season began lately.
    """
    began = [season for season in current if season.number > 1 and season.starts_at > now - SHOWN_FOR]
    if not began:
        return []
    before = Q(*(Q(mode=season.mode_id, number=season.number - 1) for season in began), _connector=Q.OR)
    rows = Rating.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), listed=True).order_by(*ORDER)
    places = {f"best_{place}": Subquery(rows.values("pk")[place : place + 1]) for place in range(CHAMPIONS)}
    ended = list(read_seasons().filter(before, current=False).annotate(**places))
    best = [pk for season in ended for place in range(CHAMPIONS) if (pk := getattr(season, f"best_{place}"))]
    ratings = Rating.objects.filter(pk__in=best).select_related("player").annotate(struck=Exists(strike_in_force()))
    ordered = list(ratings.order_by(*ORDER))
    shown = [(board_of(season), [rating for rating in ordered if rating.season_id == season.pk]) for season in ended]
    return [LastSeason(board, champions_of(board, own)) for board, own in shown if board.mode.ranked and own]
