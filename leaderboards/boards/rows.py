"""A board's rows: what is read of a rating, and what pages and programs show of it.

A new column of boards is a field of `Row`, and of `Line` if programs get it, too. If it is a column of the database, it
is an attribute of `ListedRating` and of `BoardRating`, by the name that `Rating` has for it. The other place is
templates/leaderboards/parts/page.html, which draws the head of the column and its cells.

A board's rows are read as named tuples, which are much faster to make than models. The viewer's own rating is a model,
because a page says more of it. mypy checks that both classes have what `BoardRating` and `BoardPlayer` ask for.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, NamedTuple, Protocol

from django.db.models import Exists, OuterRef, QuerySet

from leaderboards.boards.absence import Absence
from leaderboards.boards.boards import Board
from leaderboards.boards.last_changes import read_changes, with_last_changes
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import (
    Published,
    SnapshotColumns,
    SnapshotRead,
    Standing,
    Superseded,
    with_snapshot,
)
from leaderboards.display.curves import sparkline, widest
from leaderboards.display.numbers import Delta, delta
from ranking.models import STRANGER, Player, Rating, ReadAccess, Snapshot
from ranking.rules.rank_table import RankTable
from ranking.rules.shares import percent_of
from ranking.seasons.strikes import strike_in_force
from ranking.standings.snapshots import table_of, yesterdays_of
from ranking.systems.shared.display import from_hundredths
from ranking.wording.translation import gettext

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


class Line(NamedTuple):
    """A row as programs read it: a listed player, or one below the line of a friends board, without standing.

    Each column that isn't of the standing says what it means. `rank` is on this board, `standing` on everybody's.
    """

    player: BoardPlayer
    matches: Annotated[int, "Played this season."]
    rank_day_ago: Annotated[int | None, "When today began, where the mode lives; null for who wasn't on the board."] = (
        None
    )
    unlisted: Annotated[Absence | None, ""] = None
    struck: Annotated[
        bool, "A moderator struck the player from this archived season: no medal, no reward. Ranks stay."
    ] = False
    standing: Standing | None = None
    rank: int | None = None
    rating: str | None = None


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


def line_of(board: Board, row: BoardRating, published: Published | None, yesterday: Yesterday) -> Line:
    """Return the line of a listed rating."""
    value = published_value(row)
    return Line(
        player=row.player,
        matches=row.matches,
        rank_day_ago=rank_before(row, yesterday),
        struck=row.struck,
        standing=published.standing(value) if published else None,
        rank=published.ranks.rank_of(value) if published else None,
        rating=str(from_hundredths(value, board.decimals)) if published and board.mode.shows_rating else None,
    )


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
