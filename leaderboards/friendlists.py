"""The viewer and those they follow in the order of a friends board: one query, a thousand and one at most."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import FilteredRelation, Q, Subquery

from leaderboards.boards import Board
from leaderboards.cursors import Cursor
from leaderboards.models.friends import on_friends_board_of
from leaderboards.published import Published, published
from leaderboards.rows import value_before
from ranking.models import Player, Snapshot

_EPOCH, _FAR = dt.datetime(1970, 1, 1, tzinfo=dt.UTC), dt.datetime(9000, 1, 1, tzinfo=dt.UTC)
_BELOW_THE_LINE = 2**63 - 1  # behind the order of every rating


@dataclass(frozen=True, slots=True)
class Friend:
    """Somebody's place in the order; `value` None: below the line. `before` is the value when today began."""

    place: Cursor
    player_id: int
    key: str
    rating_id: int | None
    value: int | None
    before: int | None


def find_friends(board: Board, viewer: Player, today: dt.date) -> tuple[list[Friend], Published | None]:
    """Everybody on the board in its order, and the snapshot that was in force then."""
    newest = Snapshot.objects.filter(mode=board.mode, season=board.season, region="").order_by("-id")
    found = on_friends_board_of(viewer).annotate(
        here=FilteredRelation("ratings", condition=Q(ratings__mode=board.mode, ratings__season=board.season)),
        snapshot_id=Subquery(newest.values("id")[:1]),
        snapshot_taken_at=Subquery(newest.values("taken_at")[:1]),
    )
    names = ("id", "key", "snapshot_id", "snapshot_taken_at")
    columns = ("id", "listed", "published_hundredths", "published_reached_at", "published_on", "published_day_ago",
               "last_match_at")  # fmt: skip
    rows = list(found.values_list(*names, *(f"here__{column}" for column in columns)))
    friends = sorted((_friend(today, pk, key, *rest) for pk, key, _, _, *rest in rows), key=lambda one: one.place)
    snapshot_id, taken_at = rows[0][2:4]  # the viewer is always among them
    if snapshot_id is None:
        return friends, None
    return friends, published(Snapshot(pk=snapshot_id, mode=board.mode, taken_at=taken_at), board.mode)


def _friend(
    today: dt.date,
    player_id: int,
    key: str,
    rating_id: int | None,
    listed: bool | None,
    value: int | None,
    reached_at: dt.datetime | None,
    published_on: dt.date | None,
    day_ago: int | None,
    played_at: dt.datetime | None,
) -> Friend:
    before = value_before(bool(listed), value, published_on, day_ago, today)
    if listed and rating_id is not None and value is not None and reached_at is not None:
        return Friend(Cursor(-value, reached_at, rating_id), player_id, key, rating_id, value, before)
    # Who played last comes first below the line.
    moment = _FAR if played_at is None else _EPOCH + (_FAR - played_at)
    return Friend(Cursor(_BELOW_THE_LINE, moment, player_id), player_id, key, rating_id, None, before)
