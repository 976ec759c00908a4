"""Fifty consecutive rows of a friends board: the viewer among the players they follow.

Two queries: everybody's place in the order with the snapshot in force, and the page's ratings with what boards draw.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboards.boards.boards import Board
from leaderboards.boards.positions import After, Around, AtRank, BadPosition, Before, Cursor, FromPlace, Position
from leaderboards.boards.published import Published, Superseded
from leaderboards.boards.ratings import DrawnColumns, drawn_ratings
from leaderboards.boards.rows import Yesterday
from leaderboards.boards.windows import ABOVE, PAGE
from leaderboards.people.friends_order import Friend, find_friends
from ranking.models import Player, Rating
from ranking.rules.rank_table import RankTable

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    DrawnRating = WithAnnotations[Rating, DrawnColumns]


@dataclass(frozen=True, slots=True)
class FriendsWindow:
    """A page: listed ratings in order, then the other players, each with a rating if they have one in the mode.

    `published` ranks the friends among each other; `mine` is the viewer's rating, on the page or not. `place`: that of
    the first row, counted from 1.
    """

    ratings: list[DrawnRating]
    others: list[tuple[Rating | None, Player]]
    published: Published | None
    yesterday: Yesterday
    mine: DrawnRating | None
    place: int
    previous: Cursor | None
    next: Cursor | None
    friends: int

    @property
    def first(self) -> bool:
        return self.place == 1


def find_friends_window(board: Board, viewer: Player, position: Position, now: dt.datetime) -> FriendsWindow:
    """Return the page at a position; raise BadPosition, and Superseded."""
    today = board.mode.day_of(now)
    friends, published = find_friends(board, viewer.pk, today)
    ranks = _table(friend.value for friend in friends)
    start = _start(friends, position, ranks)
    page = friends[start : start + PAGE]
    mine = next(friend for friend in friends if friend.player_id == viewer.pk)
    ratings = _ratings({friend.rating_id for friend in (*page, mine) if friend.rating_id}, published)
    before = _table(friend.before for friend in friends)
    return FriendsWindow(
        ratings=[ratings[friend.player_id] for friend in page if friend.value is not None],
        others=[(ratings.get(friend.player_id), friend.player) for friend in page if friend.value is None],
        published=None if published is None else replace(published, ranks=ranks),
        yesterday=Yesterday(today, before if before else None),
        mine=ratings.get(viewer.pk),
        place=start + 1,
        previous=page[0].cursor if start and page else None,
        next=page[-1].cursor if len(friends) > start + PAGE else None,
        friends=len(friends) - 1,
    )


def _ratings(ids: Collection[int], published: Published | None) -> dict[int, DrawnRating]:
    """Return these ratings by player; raise Superseded if another board is in force by now."""
    if not ids:
        return {}
    ratings = {rating.player_id: rating for rating in drawn_ratings().filter(pk__in=ids)}
    snapshot_id = None if published is None else published.snapshot_id
    if any(rating.snapshot_id != snapshot_id for rating in ratings.values()):
        raise Superseded
    return ratings


def _table(values: Iterable[int | None]) -> RankTable:
    return RankTable(sorted(Counter(value for value in values if value is not None).items()))


def _cursor(friend: Friend) -> Cursor:
    return friend.cursor


def _start(friends: Sequence[Friend], position: Position, ranks: RankTable) -> int:
    """Return the index at which the page at a position begins; raise BadPosition."""
    match position:
        case After(cursor):
            start = bisect_right(friends, cursor, key=_cursor)
        case Before(cursor):
            start = max(0, bisect_left(friends, cursor, key=_cursor) - PAGE)
        case AtRank(rank):
            if rank > len(ranks):
                raise BadPosition(f"There is no rank {rank:,} among your friends: {len(ranks):,} are listed.")
            start = ranks.rank_of(ranks.value_at_rank(rank)) - 1
        case FromPlace(place):
            start = place - 1
        case Around(key):
            indexes = [index for index, friend in enumerate(friends) if friend.key == key]
            if not indexes:
                raise BadPosition("That player isn't on this board.")
            start = max(0, indexes[0] - ABOVE)
        case _:
            start = 0
    if start and start >= len(friends):
        raise BadPosition("That page doesn't exist (any more).")
    return start
