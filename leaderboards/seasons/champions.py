"""The champions of the seasons that ended last, for the front page and the page about seasons."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from leaderboards.boards.boards import Board, board_of
from leaderboards.boards.boards import seasons as read_seasons
from leaderboards.boards.past_seasons import Champion, champions_of, read_best, with_best
from ranking.models import Season

SHOWN_FOR = dt.timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LastSeason:
    """An archived season of a mode, with its best players."""

    board: Board
    champions: Sequence[Champion]


def load_last_seasons(
    current: Sequence[Season], now: dt.datetime, *, shown_for: dt.timedelta | None = SHOWN_FOR
) -> list[LastSeason]:
    """Return the seasons before these current ones that have champions, if they ended so long ago at most.

    `shown_for` None: whenever they ended. Two queries; none if no season began since.
    """
    began = [
        season for season in current if season.number > 1 and (not shown_for or season.starts_at > now - shown_for)
    ]
    if not began:
        return []
    before = Q(*(Q(mode=season.mode_id, number=season.number - 1) for season in began), _connector=Q.OR)
    ended = list(with_best(read_seasons().filter(before, current=False)))
    best = read_best(ended)
    shown = [(board_of(season), best.get(season.pk, [])) for season in ended]
    return [LastSeason(board, champions_of(board, own)) for board, own in shown if board.mode.ranked and own]
