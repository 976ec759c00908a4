"""The viewer and the players they follow, in the order of a friends board: one query, at most 1,001 players."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import Case, F, FilteredRelation, Q, Subquery, When

from leaderboards.boards.boards import Board
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import Published, newest_snapshots, published_at
from leaderboards.boards.rows import value_before
from leaderboards.models.friends import on_friends_board_of
from ranking.database.microseconds_in_sql import Microseconds
from ranking.models import Player

_BELOW_THE_LINE = 2**63 - 1  # sorts after the order of every rating
_LONG_AGO = 2**57  # microseconds, in the year 6537: later than every moment
_PLAYER = ("id", "key", "name", "hidden_at", "anonymised_at", "is_bot")
_RATING = ("id", "listed", "published_hundredths", "published_on", "published_day_ago")


class Friend(NamedTuple):
    """A player on the board. The first three values are the sort key; `value` is None below the line.

    `moment` is in microseconds since 1970; `before` is the value when today began.
    """

    board_order: int
    moment: int
    id: int
    player_id: int
    key: str
    name: str
    hidden_at: dt.datetime | None
    anonymised_at: dt.datetime | None
    is_bot: bool
    rating_id: int | None
    value: int | None
    before: int | None

    @property
    def cursor(self) -> Cursor:
        return Cursor(*self[:3])

    @property
    def player(self) -> Player:
        """The player, with the fields that were read."""
        return Player.from_db("default", _PLAYER, self[3:9])


def find_friends(board: Board, viewer: int, today: dt.date) -> tuple[list[Friend], Published | None]:
    """Return everybody on a viewer's board, in its order, and the board in force; `viewer` is the player's id."""
    rows = list(_rows(board, viewer))
    snapshot_id, taken_at = rows[0][:2]  # the viewer is always among the rows
    return sorted([_friend(row, today) for row in rows]), published_at(snapshot_id, taken_at, board.mode)


def _rows(board: Board, viewer: int) -> Any:
    newest = newest_snapshots(board.mode, board.season)
    rows = on_friends_board_of(viewer).annotate(
        here=FilteredRelation("ratings", condition=Q(ratings__mode=board.mode, ratings__season=board.season)),
        snapshot_id=Subquery(newest.values("id")[:1]),
        snapshot_taken_at=Subquery(newest.values(microseconds=Microseconds("taken_at"))[:1]),
        moment=Microseconds(
            Case(When(here__listed=True, then=F("here__published_reached_at")), default=F("here__last_match_at"))
        ),
    )
    ratings = (f"here__{name}" for name in _RATING)
    return rows.values_list("snapshot_id", "snapshot_taken_at", *_PLAYER, "moment", *ratings)


def _friend(row: Sequence[Any], today: dt.date) -> Friend:
    player, (moment, rating_id, listed, value, published_on, day_ago) = row[2:8], row[8:]
    before = value_before(bool(listed), value, published_on, day_ago, today)
    if listed:
        return Friend._make((-value, moment, rating_id, *player, rating_id, value, before))
    # Below the line, the player who played last comes first.
    moment = _LONG_AGO - (moment or 0)
    return Friend._make((_BELOW_THE_LINE, moment, player[0], *player, rating_id, None, before))
