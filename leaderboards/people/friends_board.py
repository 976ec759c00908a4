"""A friends board: the viewer among the players whom they follow, at most 1,001. The listed ones come first, the others
are below the line, and the viewer's own row is in sight.

A page takes two queries: everybody's place in the order with the snapshot in force, and the page's ratings with what
boards draw.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Case, F, FilteredRelation, Q, Subquery, When

from leaderboards.boards.absence import absences_of
from leaderboards.boards.boards import Board
from leaderboards.boards.own import make_own
from leaderboards.boards.pages import PODIUM, BoardPage, Unranked, page_or_first
from leaderboards.boards.positions import After, Around, AtRank, BadPosition, Before, Cursor, FromPlace, Position
from leaderboards.boards.published import Published, Superseded, newest_snapshots, published_at
from leaderboards.boards.rows import (
    BoardRating,
    DrawnColumns,
    Yesterday,
    drawn_ratings,
    make_rows,
    published_value,
    value_before,
)
from leaderboards.boards.windows import PAGE, above_of
from leaderboards.models.friends import on_friends_board_of
from ranking.database.microseconds import Microseconds
from ranking.models import Player, Rating
from ranking.rules.rank_table import RankTable

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    DrawnRating = WithAnnotations[Rating, DrawnColumns]

_BELOW_THE_LINE = 2**63 - 1  # sorts after the order of every rating
_LONG_AGO = 2**57  # microseconds, in the year 6537: later than every moment
_PLAYER = ("id", "key", "name", "hidden_at", "anonymised_at", "is_bot")
_RATING = ("id", "listed", "published_hundredths", "published_on", "published_day_ago")


def load_friends_page(
    board: Board, position: Position, *, viewer: Player, now: dt.datetime, problem: str = ""
) -> BoardPage:
    """Return the page at a position, or the first page if there is no such position."""
    return page_or_first(lambda at, sentence: _load(board, at, viewer, now, sentence), position, problem)


def _load(board: Board, position: Position, viewer: Player, now: dt.datetime, problem: str) -> BoardPage:
    window = find_friends_window(board, viewer, position, now)
    published = window.published
    others = [(rating, player) for rating, player in window.others if player != viewer]  # `own` is about the viewer
    absence, *absences = absences_of([(window.mine, viewer), *others], board.mode, now, board.season)
    below = [Unranked(player, why) for (_, player), why in zip(others, absences, strict=True) if why is not None]
    listed = None if absence else window.mine
    apart = [] if listed is None or listed in window.ratings else [listed]
    sought = position.key if isinstance(position, Around) else ""
    rows = []
    if published is not None:
        ratings: list[BoardRating] = [*window.ratings, *apart]
        own = None if listed is None else published_value(listed)
        rows = make_rows(ratings, board, published, window.yesterday, viewer=viewer, sought=sought, beside=own)
    row = rows.pop() if apart else None
    podium = PODIUM if window.first else 0
    return BoardPage(
        board=board,
        published=published,
        podium=rows[:podium],
        rows=rows[podium:],
        previous=None if window.first else f"from={window.place - PAGE}" if window.place > PAGE + 1 else "",
        next=None if window.next is None else f"from={window.place + PAGE}",
        own=make_own(board, published, listed, row=row, absence=absence),
        around=sought,
        problem=problem,
        below=below,
        lonely=not window.friends,
    )


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


def find_friends_window(
    board: Board, viewer: Player, position: Position, now: dt.datetime, size: int = PAGE
) -> FriendsWindow:
    """Return the page at a position, `size` players at most; raise BadPosition, and Superseded."""
    today = board.mode.day_of(now)
    friends, published = find_friends(board, viewer.pk, today)
    ranks = _table(friend.value for friend in friends)
    start = _start(friends, position, ranks, size)
    page = friends[start : start + size]
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
        next=page[-1].cursor if len(friends) > start + size else None,
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


def _start(friends: Sequence[Friend], position: Position, ranks: RankTable, size: int) -> int:
    """Return the index at which the page at a position begins; raise BadPosition."""
    match position:
        case After(cursor):
            start = bisect_right(friends, cursor, key=_cursor)
        case Before(cursor):
            start = max(0, bisect_left(friends, cursor, key=_cursor) - size)
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
            start = max(0, indexes[0] - above_of(size))
        case _:
            start = 0
    if start and start >= len(friends):
        raise BadPosition("That page doesn't exist (any more).")
    return start


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
