"""A board's rows as people see them: every rank of one snapshot, movement since the day began."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.boards.last_ratings import last_ratings
from leaderboards.boards.published import Published, Standing, Superseded
from leaderboards.boards.queries import ListedPlayer
from leaderboards.display.curves import sparkline, widest
from leaderboards.display.numbers import Delta, delta
from ranking.models import STRANGER, Player, Rating, Sight, Snapshot
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import table_of, yesterdays_of


class Spark(NamedTuple):
    """A sparkline and what it shows in words."""

    path: str
    words: str


class Row(NamedTuple):
    """`rank` on this board, `standing` on everyone's. `movement` None: there was no board yesterday; `new`: they
    weren't on it."""

    player: Player | ListedPlayer
    rank: int
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
    """What movement compares with: the rank table that was in force when `today` began.

    On a region's board, who came there after `began` wasn't on it.
    """

    today: dt.date
    table: RankTable | None
    began: dt.datetime | None = None


def find_yesterday(board: Board, shown: Published, now: dt.datetime) -> Yesterday:
    """What the rows of a board as shown are compared with; raises Superseded."""
    began = board.mode.day_start(now)
    snapshot = yesterdays_of(shown.snapshot, board.season.pk, began, board.region)
    try:
        table = None if snapshot is None else table_of(snapshot)
    except Snapshot.DoesNotExist as error:
        raise Superseded from error
    return Yesterday(began.date(), table, began if board.region else None)


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
        rank = published.ranks.rank_of(rating.published_hundredths)
        before = rank_before(rating, yesterday)
        rows.append(
            Row(
                player=rating.player,
                rank=rank,
                standing=published.standing(rating.published_hundredths),
                rating=board.rating_text(rating.published_hundredths),
                matches=rating.matches,
                movement=None if before is None else delta(before - rank, f"{abs(before - rank):,}"),
                new=before is None and yesterday.table is not None,
                spark=_spark(values, span, board),
                own=viewer is not None and rating.player_id == viewer.pk,
                sought=rating.player.key == sought,
            )
        )
    return rows


def rank_before(rating: Any, yesterday: Yesterday) -> int | None:
    """The rank of a listed row when today began; None for who wasn't on the board."""
    value = value_before(rating.listed, rating.published_hundredths, rating.published_on, rating.published_day_ago,
                         yesterday.today)  # fmt: skip
    if yesterday.table is None or value is None or _has_come(rating, yesterday):
        return None
    return yesterday.table.rank_of(value)


def value_before(
    listed: bool, value: int | None, published_on: dt.date | None, day_ago: int | None, today: dt.date
) -> int | None:
    """What boards showed of a rating when today began; None where it wasn't on them."""
    if published_on == today:
        return day_ago
    return value if listed else None


def _has_come(rating: Rating, yesterday: Yesterday) -> bool:
    """Whether a choice of today brought the player to this region."""
    moment = rating.region_chosen_at
    return yesterday.began is not None and moment is not None and moment >= yesterday.began


def _spark(values: Sequence[int], span: int, board: Board) -> Spark | None:
    if len(values) < 2:
        return None
    words = f"Last {len(values) - 1}: {board.rating_text(values[0])} to {board.rating_text(values[-1])}"
    return Spark(sparkline(values, span), words)
