"""The viewer and those they follow in the order of a friends board: one query, a thousand and one at most."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Case, F, FilteredRelation, Q, Subquery, When

from leaderboards.boards.boards import Board
from leaderboards.boards.microseconds import Microseconds
from leaderboards.boards.positions import Cursor, cursor_of
from leaderboards.boards.published import Published, published_at
from leaderboards.boards.rows import value_before
from leaderboards.models.friends import on_friends_board_of
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Player, Snapshot

_BELOW_THE_LINE = 2**63 - 1  # behind the order of every rating
_LONG_AGO = 2**57  # behind every moment that there may be, in microseconds: in the year 6537
_PLAYER = ("id", "key", "name", "hidden_at", "anonymised_at")
_RATING = ("id", "listed", "published_hundredths", "published_on", "published_day_ago")


class Friend(NamedTuple):
    """Somebody on the board, sorted by the first three; `value` None: below the line.

    `moment` in microseconds since 1970; `before` is the value when today began.
    """

    board_order: int
    moment: int
    id: int
    player_id: int
    key: str
    name: str
    hidden_at: dt.datetime | None
    anonymised_at: dt.datetime | None
    rating_id: int | None
    value: int | None
    before: int | None

    @property
    def place(self) -> Cursor:
        return cursor_of(*self[:3])

    @property
    def player(self) -> Player:
        """The player, of whom nothing else is read."""
        return Player.from_db("default", _PLAYER, self[3:8])


def find_friends(board: Board, viewer: int, today: dt.date) -> tuple[list[Friend], Published | None]:
    """Everybody on the board of a viewer, told by id, in its order, and the snapshot that was in force then."""
    rows = _query().rows(viewer=viewer, mode=board.mode.pk, season=board.season.pk)
    friends = sorted([_friend(row, today) for row in rows])
    snapshot_id, taken_at = rows[0][:2]  # the viewer is always among them
    return friends, published_at(snapshot_id, taken_at, board.mode)


@cache
def _query() -> Prepared:
    whole = BigIntegerField()
    mode, season = Placeholder("mode", whole), Placeholder("season", whole)
    newest = Snapshot.objects.filter(mode=mode, season=season, region="").order_by("-id")
    found = on_friends_board_of(Placeholder("viewer", whole)).annotate(
        here=FilteredRelation("ratings", condition=Q(ratings__mode=mode, ratings__season=season)),
        snapshot_id=Subquery(newest.values("id")[:1]),
        snapshot_taken_at=Subquery(newest.values(moment=Microseconds("taken_at"))[:1]),
        moment=Microseconds(
            Case(When(here__listed=True, then=F("here__published_reached_at")), default=F("here__last_match_at"))
        ),
    )
    ratings = (f"here__{name}" for name in _RATING)
    return prepare(found.values_list("snapshot_id", "snapshot_taken_at", *_PLAYER, "moment", *ratings))


def _friend(row: Sequence[Any], today: dt.date) -> Friend:
    who, (moment, rating_id, listed, value, published_on, day_ago) = row[2:7], row[7:]
    before = value_before(bool(listed), value, published_on, day_ago, today)
    if listed:
        return Friend._make((-value, moment, rating_id, *who, rating_id, value, before))
    # Who played last comes first below the line.
    moment = _LONG_AGO - (moment or 0)
    return Friend._make((_BELOW_THE_LINE, moment, who[0], *who, rating_id, None, before))
