"""A board of the viewer among those they follow: at most a thousand and one, put in order here, fifty a page.

Two queries: everybody's place in the order with the snapshot in force, and the page's ratings with what boards draw.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leaderboards.boards.boards import Board
from leaderboards.boards.positions import After, Around, AtRank, BadPosition, Before, Cursor, Position
from leaderboards.boards.published import Published
from leaderboards.boards.rows import Yesterday
from leaderboards.boards.windows import ABOVE, PAGE
from leaderboards.people.friends_order import Friend, find_friends
from leaderboards.people.friends_rows import read_ratings
from ranking.models import Player
from ranking.rules.rank_table import RankTable


@dataclass(frozen=True, slots=True)
class FriendsWindow:
    """A page: listed ratings in order, then the others, each with a rating if they have one in the mode.

    `published` ranks the friends among each other; `mine` is the viewer's rating, on the page or not.
    """

    ratings: list[Any]
    others: list[tuple[Any, Player]]
    published: Published | None
    yesterday: Yesterday
    mine: Any
    first: bool
    previous: Cursor | None
    next: Cursor | None
    friends: int


def find_friends_window(board: Board, viewer: Player, position: Position, now: dt.datetime) -> FriendsWindow:
    """The page at a position; raises BadPosition, and Superseded where a publication came in between."""
    today = board.mode.day_of(now)
    friends, shown = find_friends(board, viewer.pk, today)
    ranks = _table(friend.value for friend in friends)
    start = _start(friends, position, ranks)
    page = friends[start : start + PAGE]
    mine = next(friend for friend in friends if friend.player_id == viewer.pk)
    ratings = read_ratings(board, {friend.rating_id for friend in (*page, mine) if friend.rating_id}, shown)
    before = _table(friend.before for friend in friends)
    return FriendsWindow(
        ratings=[ratings[friend.player_id] for friend in page if friend.value is not None],
        others=[(ratings.get(friend.player_id), friend.player) for friend in page if friend.value is None],
        published=None if shown is None else replace(shown, ranks=ranks),
        yesterday=Yesterday(today, before if before else None),
        mine=ratings.get(viewer.pk),
        first=start == 0,
        previous=page[0].place if start and page else None,
        next=page[-1].place if len(friends) > start + PAGE else None,
        friends=len(friends) - 1,
    )


def _table(values: Iterable[int | None]) -> RankTable:
    return RankTable(sorted(Counter(value for value in values if value is not None).items()))


def _key(friend: Friend) -> tuple[int, int, int]:
    return friend[:3]


def _start(order: Sequence[Friend], position: Position, ranks: RankTable) -> int:
    """Where the page at a position begins; raises BadPosition."""
    match position:
        case After(cursor):
            start = bisect_right(order, cursor.key, key=_key)
        case Before(cursor):
            start = max(0, bisect_left(order, cursor.key, key=_key) - PAGE)
        case AtRank(rank):
            if rank > len(ranks):
                raise BadPosition(f"There is no rank {rank:,} among your friends: {len(ranks):,} are listed.")
            start = ranks.rank_of(ranks.value_at_rank(rank)) - 1
        case Around(key):
            found = [index for index, friend in enumerate(order) if friend.key == key]
            if not found:
                raise BadPosition("That player isn't on this board.")
            start = max(0, found[0] - ABOVE)
        case _:
            start = 0
    if start and start >= len(order):
        raise BadPosition("That page doesn't exist (any more).")
    return start
