"""Ratings as boards draw them: one interface for models and for the light tuples that a board's query reads.

A board's rows are named tuples, which are much faster to make than models. The viewer's own rating is a model, because
a page says more of it. mypy checks that both classes have what `BoardRating` and `BoardPlayer` ask for.
"""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from django.db.models import Exists, OuterRef, QuerySet

from leaderboards.boards.last_changes import with_last_changes
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import SnapshotColumns, SnapshotRead, with_snapshot
from ranking.models import Rating, ReadAccess
from ranking.seasons.strikes import strike_in_force

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class BoardPlayer(Protocol):
    """What boards show of a player: a `Player` or a `ListedPlayer`."""

    @property
    def pk(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def avatar(self) -> str: ...
    @property
    def name(self) -> str: ...
    def shows_matches_to(self, access: ReadAccess) -> bool: ...


class BoardRating(SnapshotRead, Protocol):
    """What boards show of a listed rating: a `ListedRating`, or a `Rating` with the annotations `DrawnColumns`."""

    @property
    def pk(self) -> int: ...
    @property
    def player(self) -> BoardPlayer: ...
    @property
    def player_id(self) -> int: ...
    @property
    def listed(self) -> bool: ...
    @property
    def matches(self) -> int: ...
    @property
    def completed(self) -> int: ...
    @property
    def wins(self) -> int: ...
    @property
    def top_halves(self) -> int: ...
    @property
    def display_hundredths(self) -> int: ...
    @property
    def published_hundredths(self) -> int | None: ...
    @property
    def published_on(self) -> dt.date | None: ...
    @property
    def published_day_ago(self) -> int | None: ...
    @property
    def region_chosen_at(self) -> dt.datetime | None: ...
    @property
    def last_changes(self) -> str | None: ...
    @property
    def struck(self) -> bool: ...


class DrawnColumns(SnapshotColumns):
    """The annotations of `drawn_ratings`."""

    last_changes: str | None
    struck: bool


@cache
def drawn_ratings() -> QuerySet[WithAnnotations[Rating, DrawnColumns]]:
    """All ratings with their players and what boards draw, each a `BoardRating`: filter this.

    `filter` copies the query, which takes long to build anew.
    """
    ratings = with_snapshot(Rating.objects.select_related("player").annotate(struck=Exists(strike_in_force())))
    return with_last_changes(ratings, OuterRef("mode"), OuterRef("season"), OuterRef("mode__generation"))


class ListedPlayer(NamedTuple):
    """A player as light row, with the names of `Player`."""

    pk: int
    key: str
    name: str
    hides_matches: bool
    hidden_at: dt.datetime | None
    avatar: str

    def shows_matches_to(self, access: ReadAccess) -> bool:
        return access.sees_matches_of(self.pk, hidden=self.hides_matches)

    def nameless(self) -> ListedPlayer:
        """The same row for a board that tells nobody who it is."""
        return self._replace(key="", name="", hides_matches=True, avatar="")


class ListedRating(NamedTuple):
    """A listed rating as light row, with the names of `Rating`.

    `reached` is `published_reached_at`; it and `snapshot_taken_at` are in microseconds since 1970.
    """

    player: ListedPlayer
    pk: int
    player_id: int
    display_hundredths: int
    board_order: int
    published_hundredths: int
    reached: int
    published_on: dt.date
    published_day_ago: int | None
    region_chosen_at: dt.datetime | None
    wins: int
    draws: int
    losses: int
    leaves: int
    top_halves: int
    last_changes: str | None
    snapshot_id: int | None
    snapshot_taken_at: int | None
    regional_id: int | None = None  # of the region's snapshot, on a region's board
    struck: bool = False  # from an archived season; see ranking.seasons.strikes

    @property
    def listed(self) -> bool:
        return True

    @property
    def completed(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def matches(self) -> int:
        return self.completed + self.leaves

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.board_order, self.reached, self.pk)


def published_value(rating: BoardRating | Rating) -> int:
    """Return the published rating in hundredths of a listed rating; the database keeps one of each."""
    if rating.published_hundredths is None:
        raise ValueError(f"Rating {rating.pk} isn't on a board.")
    return rating.published_hundredths
