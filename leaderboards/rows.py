"""A board's rows as people see them: every rank of one snapshot, movement since the day began."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.boards import Board
from leaderboards.curves import sparkline, widest
from leaderboards.figures import Delta, delta
from leaderboards.published import Published, Standing
from leaderboards.sparks import last_ratings
from ranking.models import STRANGER, Player, Sight
from ranking.ranktable import RankTable
from ranking.snapshots import find_yesterdays, table_of


@dataclass(frozen=True, slots=True)
class Spark:
    """A sparkline and what it shows in words."""

    path: str
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """`movement` None: there was no board yesterday; `new`: they weren't on it."""

    player: Player
    standing: Standing
    rating: str
    matches: int
    movement: Delta | None
    new: bool
    spark: Spark | None
    own: bool
    sought: bool


@dataclass(frozen=True, slots=True)
class Yesterday:
    """What movement compares with: the rank table that was in force when `today` began."""

    today: dt.date
    table: RankTable | None


def find_yesterday(board: Board, now: dt.datetime) -> Yesterday:
    snapshot = find_yesterdays(board.mode, board.season.pk, now)
    return Yesterday(board.mode.day_of(now), None if snapshot is None else table_of(snapshot))


def make_rows(
    ratings: Sequence[Any],
    board: Board,
    published: Published,
    yesterday: Yesterday,
    *,
    viewer: Player | None = None,
    sought: str = "",
) -> list[Row]:
    """Rows of these ratings, in the same order; `sought` is the key of the player to point out."""
    sight = STRANGER if viewer is None else Sight(viewer.pk)
    series = [
        last_ratings(rating) if board.mode.shows_rating and rating.player.shows_matches_to(sight) else []
        for rating in ratings
    ]
    span = widest(series)
    rows = []
    for rating, values in zip(ratings, series, strict=True):
        standing = published.standing(rating.published_hundredths)
        before = rank_before(rating, yesterday)
        rows.append(
            Row(
                player=rating.player,
                standing=standing,
                rating=board.rating_text(rating.published_hundredths),
                matches=rating.matches,
                movement=None if before is None else delta(before - standing.rank, f"{abs(before - standing.rank):,}"),
                new=before is None and yesterday.table is not None,
                spark=_spark(values, span, board),
                own=viewer is not None and rating.player_id == viewer.pk,
                sought=rating.player.key == sought,
            )
        )
    return rows


def rank_before(rating: Any, yesterday: Yesterday) -> int | None:
    """The rank when today began; None for who wasn't on the board."""
    same = rating.published_on != yesterday.today
    value = rating.published_hundredths if same else rating.published_day_ago
    return None if yesterday.table is None or value is None else yesterday.table.rank_of(value)


def _spark(values: Sequence[int], span: int, board: Board) -> Spark | None:
    if len(values) < 2:
        return None
    words = f"Last {len(values) - 1}: {board.rating_text(values[0])} to {board.rating_text(values[-1])}"
    return Spark(sparkline(values, span), words)
