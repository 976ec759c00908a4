"""A board's rows as people see them: ranks of one snapshot, and movement since the day began.

A new column of boards is a field of `Row`. If it has to be read, `windows` names the column of the database, `ratings`
the attribute. templates/leaderboards/parts/page.html draws the head of the column, and row.html beside it each cell.
leaderboards/api/board_rows.py describes the same rows for programs.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.boards.last_changes import read_changes
from leaderboards.boards.published import Published, Standing, Superseded
from leaderboards.boards.ratings import BoardPlayer, BoardRating, published_value
from leaderboards.display.curves import sparkline, widest
from leaderboards.display.numbers import Delta, delta
from ranking.models import STRANGER, Player, ReadAccess, Snapshot
from ranking.rules.rank_table import RankTable
from ranking.rules.shares import percent_of
from ranking.standings.snapshots import table_of, yesterdays_of
from ranking.wording.translation import gettext


class Spark(NamedTuple):
    """A sparkline, and what it shows in words."""

    path: str
    words: str


class Row(NamedTuple):
    """One row of a board: `rank` is on this board, `standing` on everybody's. `struck`: see ranking.seasons.strikes.

    `movement` is None if there is no rank of yesterday; `new`: there was a board yesterday, without the player.
    `share`: the per cent of matches won, or of more than two teams' those in the top half; None without one.
    `form`: the outcomes of the last matches, oldest first; empty if there are more than two teams. `gap`: on a friends
    board, how far the rating is from the viewer's, as "+0.05"; "" for themselves.
    """

    player: BoardPlayer
    rank: int
    standing: Standing
    rating: str
    matches: int
    share: int | None
    form: list[str]
    movement: Delta | None
    new: bool
    spark: Spark | None
    own: bool
    sought: bool
    struck: bool
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Yesterday:
    """What movement compares with: the rank table that was in force when `today` began.

    `began` is set on a region's board: players who came to the region after it were not on the board.
    """

    today: dt.date
    table: RankTable | None
    began: dt.datetime | None = None


def find_yesterday(board: Board, published: Published, now: dt.datetime) -> Yesterday:
    """Return what the rows of a board are compared with; an archived board doesn't move. Raise Superseded."""
    began = board.mode.day_start(now)
    if not board.season.current:
        return Yesterday(began.date(), None)
    snapshot = yesterdays_of(published.snapshot, board.season.pk, began, board.region)
    try:
        table = None if snapshot is None else table_of(snapshot)
    except Snapshot.DoesNotExist as error:
        raise Superseded from error
    return Yesterday(began.date(), table, began if board.region else None)


def make_rows(
    ratings: Sequence[BoardRating],
    board: Board,
    published: Published,
    yesterday: Yesterday,
    *,
    viewer: Player | None = None,
    sought: str = "",
    beside: int | None = None,
) -> list[Row]:
    """Return the rows of these ratings, in the same order; `sought` is the key of the player to point out.

    `beside`: the viewer's published rating, from which the others' are told apart.
    """
    series, forms = _histories(ratings, board, viewer)
    span = widest(series)
    rows = []
    for rating, values, form in zip(ratings, series, forms, strict=True):
        value, player = published_value(rating), rating.player
        rank, before = published.ranks.rank_of(value), rank_before(rating, yesterday)
        rows.append(
            Row(
                player=player,
                rank=rank,
                standing=published.standing(value),
                rating=board.rating_text(value),
                matches=rating.matches,
                share=_share(rating, board),
                form=form,
                movement=None if before is None else delta(before - rank, f"{abs(before - rank):,}"),
                new=before is None and yesterday.table is not None,
                spark=_spark(values, span, board),
                own=viewer is not None and rating.player_id == viewer.pk,
                sought=player.key == sought,
                struck=rating.struck,
                gap=_gap(value, beside, board) if player.pk != getattr(viewer, "pk", None) else "",
            )
        )
    return rows


def _gap(value: int, beside: int | None, board: Board) -> str:
    if beside is None or not board.mode.shows_rating:
        return ""
    sign = "+" if value > beside else "−" if value < beside else "±"
    return f"{sign}{board.rating_text(abs(value - beside))}"


def _histories(
    ratings: Sequence[BoardRating], board: Board, viewer: Player | None
) -> tuple[list[list[int]], list[list[str]]]:
    """Return the last ratings and the last outcomes of each player; none if the player hides them from the viewer.

    A mode that hides ratings has no last ratings; one of more than two teams no outcomes.
    """
    access = STRANGER if viewer is None else ReadAccess(viewer.pk)
    series, forms = [], []
    for rating in ratings:
        values, outcomes = read_changes(rating.last_changes, rating.display_hundredths)
        seen = rating.player.shows_matches_to(access)
        series.append(values if seen and board.mode.shows_rating else [])
        forms.append(outcomes if seen and board.mode.team_count == 2 else [])
    return series, forms


def _share(rating: BoardRating, board: Board) -> int | None:
    count = rating.wins if board.mode.team_count == 2 else rating.top_halves
    return percent_of(count, rating.matches)


def rank_before(rating: BoardRating, yesterday: Yesterday) -> int | None:
    """Return the rank of a listed rating when today began; None if the player wasn't on the board."""
    value = value_before(rating.listed, rating.published_hundredths, rating.published_on, rating.published_day_ago,
                         yesterday.today)  # fmt: skip
    if yesterday.table is None or value is None or _came_today(rating, yesterday):
        return None
    return yesterday.table.rank_of(value)


def value_before(
    listed: bool, value: int | None, published_on: dt.date | None, day_ago: int | None, today: dt.date
) -> int | None:
    """Return the rating that boards showed when today began; None if it wasn't on them."""
    if published_on == today:
        return day_ago
    return value if listed else None


def _came_today(rating: BoardRating, yesterday: Yesterday) -> bool:
    """True if the player chose this region today."""
    chosen_at = rating.region_chosen_at
    return yesterday.began is not None and chosen_at is not None and chosen_at >= yesterday.began


def _spark(values: Sequence[int], span: int, board: Board) -> Spark | None:
    if len(values) < 2:
        return None
    first, last = board.rating_text(values[0]), board.rating_text(values[-1])
    words = gettext("Last %(number)s: %(first)s to %(last)s")
    return Spark(sparkline(values, span), words % {"number": len(values) - 1, "first": first, "last": last})
