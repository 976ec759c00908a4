"""Where the players of a match or forfeit stand at the moment: stored with it as the standings before and after it.

There is nothing but this match between the two moments. The newest rank table holds everybody else as published. The
players of the match are taken out of it, and put in with the display ratings that they have at the moment, as far as
they are ranked. So their ranks agree with these ratings.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ranking.database.bulk_writes import changed_row
from ranking.models import Change, Mode, Participation, Player
from ranking.rules.rank_table import RankTable, TableStanding, percentile_from
from ranking.standings.activity import counts_after
from ranking.standings.placement import is_placed
from ranking.standings.snapshots import newest_table


@dataclass(frozen=True, slots=True)
class PublishedBoard:
    """A mode's board as it is published while matches are rated; `table` None: it never was."""

    mode: Mode
    table: RankTable | None
    now: dt.datetime

    @classmethod
    def of(cls, mode: Mode, season_id: int, now: dt.datetime) -> PublishedBoard:
        """The board of a season as it is published at the moment. One query, two if its table isn't cached."""
        return cls(mode, newest_table(mode.pk, season_id), now)


class MatchStanding(NamedTuple):
    """A player's standing at a moment, and the display rating in hundredths that it belongs to."""

    rank: int
    percentile: int
    listed: int
    display: int


_UNRANKED = (None, None, None, None)


def standings_now(
    board: PublishedBoard, players: Sequence[Player], ratings: Sequence[Any]
) -> list[MatchStanding | None]:
    """The standing of everybody in a match at the moment; None for those who aren't ranked. No query.

    `players`: all players of the match, in any order. `ratings`: their locked ratings, in the same order.
    """
    if board.table is None:
        return [None] * len(players)
    published = [rating.published_hundredths for rating in ratings if rating.listed]
    live = [
        rating.display_hundredths if _is_ranked(player, rating, board) else None
        for player, rating in zip(players, ratings, strict=True)
    ]
    return [
        None
        if standing is None
        else MatchStanding(standing.rank, standing.percentile, standing.listed, rating.display_hundredths)
        for standing, rating in zip(live_standings(board.table, published, live), ratings, strict=True)
    ]


def standings_after(
    board: PublishedBoard, players: Sequence[Player], ratings: Sequence[Any], displays: Sequence[int]
) -> list[MatchStanding | None]:
    """The standings that the players would have if they all completed a match now. No query.

    `displays`: the display ratings that the match would give them, in hundredths. All else as for `standings_now`.
    """
    completed = [counts_after(rating, Participation(), Change.WIN, board.now, board.mode) for rating in ratings]
    return standings_now(
        board,
        players,
        [
            changed_row(rating, **counts, display_hundredths=display)
            for rating, counts, display in zip(ratings, completed, displays, strict=True)
        ],
    )


def _is_ranked(player: Player, rating: Any, board: PublishedBoard) -> bool:
    placed = is_placed(rating, board.mode)
    shown = not rating.banned and player.hidden_at is None and not player.is_bot
    return placed and shown and rating.is_active(board.now)


def live_standings(
    table: RankTable, published: Iterable[int], live: Sequence[int | None]
) -> list[TableStanding | None]:
    """The standing of each player of a match, in the order of `live`; None for those who aren't ranked. Pure.

    `published`: the published ratings of those who are listed, in any order. `live`: everybody's live display rating,
    None for those who aren't ranked. All ratings are in hundredths.
    """
    out = [value for value, count in sorted(Counter(published).items()) for _ in range(min(count, table.count(value)))]
    ranked = sorted(value for value in live if value is not None)
    listed = len(table) - len(out) + len(ranked)

    def standing(value: int) -> TableStanding:
        below = table.below(value) - bisect_left(out, value) + bisect_left(ranked, value)
        above = table.above(value) - (len(out) - bisect_right(out, value)) + len(ranked) - bisect_right(ranked, value)
        return TableStanding(above + 1, percentile_from(below, above), listed)

    return [None if value is None else standing(value) for value in live]


def standing_columns(before: MatchStanding | None, after: MatchStanding | None) -> dict[str, int | None]:
    """The columns of a participation or a forfeit that hold these standings."""
    values = (*(before or _UNRANKED), *(after or _UNRANKED))
    return dict(zip(Participation.STANDING_FIELDS, values, strict=True))
