"""One page of a board: its rows, and the viewer's own row wherever it is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from leaderboards.boards.absence import Absence
from leaderboards.boards.boards import Board
from leaderboards.boards.own import Choice, Own, find_absence, find_choice, find_own, make_own
from leaderboards.boards.positions import Around, BadPosition, Position, Top
from leaderboards.boards.published import Published, find_published, find_regions, published_with, read_consistently
from leaderboards.boards.rows import BoardPlayer, Row, find_yesterday, make_rows, published_value
from leaderboards.boards.tiers import TierTarget, find_tier_target
from leaderboards.boards.windows import DEEPEST, PAGE, Window, find_window
from ranking.models import Player
from ranking.rules.rank_table import RankTable
from ranking.wording.translation import gettext

PODIUM = 3


@dataclass(frozen=True, slots=True)
class Unranked:
    """A player below the line: on a friends board, but not listed."""

    player: Player
    absence: Absence


@dataclass(frozen=True, slots=True)
class BoardPage:
    """What the template shows.

    `previous`, `next`: what the addresses of the pages above and below ask for, "from=51"; "" for the first page, None
    if there is no such page. `around`: the key of the player whom the page is around. `problem`: why this is the first
    page and not the page asked for. `tier_target`: the viewer's next tier. Only friends boards have `below`, and
    `lonely`: the viewer follows nobody. `home`: the viewer's region.
    """

    board: Board
    published: Published | None
    podium: list[Row]
    rows: list[Row]
    previous: str | None
    next: str | None
    own: Own | None
    around: str = ""
    problem: str = ""
    choice: Choice | None = None
    tier_target: TierTarget | None = None
    below: list[Unranked] = field(default_factory=list)
    lonely: bool = False
    home: str = ""

    @property
    def shown(self) -> list[Row]:
        return [*self.podium, *self.rows]

    @property
    def apart(self) -> Row | None:
        """The viewer's own row below the table, if they aren't on the page."""
        return self.own.row if self.own else None

    @property
    def table(self) -> list[Row]:
        return [*self.rows, *([self.apart] if self.apart else [])]

    @property
    def players(self) -> list[BoardPlayer]:
        """Everybody on the page, below the line, too."""
        return [*(row.player for row in self.shown), *(other.player for other in self.below)]

    @property
    def sought(self) -> Row | None:
        return next((row for row in self.shown if row.sought), None)

    @property
    def last(self) -> Row:
        return self.shown[-1]

    @property
    def regions(self) -> list[str]:
        """The regions with listed players, the viewer's first."""
        return [] if self.published is None else find_regions(self.published, self.home)

    @property
    def listed(self) -> int:
        """How many players this board ranks."""
        return len(self.published.ranks) if self.published else 0


def load_page(
    board: Board, position: Position, *, viewer: Player | None, now: dt.datetime, problem: str = "", size: int = PAGE
) -> BoardPage:
    """Return the page at a position, `size` rows at most, or the first page if there is no such position."""
    return page_or_first(lambda at, sentence: _load(board, at, viewer, now, sentence, size), position, problem)


def page_or_first(load: Callable[[Position, str], BoardPage], position: Position, problem: str) -> BoardPage:
    """Return the page that `load` makes of a position and a problem, or the first one if there is no such position."""
    try:
        return read_consistently(lambda: load(position, problem))
    except BadPosition as error:
        sentence = str(error)
    return read_consistently(lambda: load(Top(), sentence))


def _load(
    board: Board, position: Position, viewer: Player | None, now: dt.datetime, problem: str, size: int
) -> BoardPage:
    window = find_window(board, position, size=size)
    if not window.ratings and not isinstance(position, Top):
        raise BadPosition(gettext("That page doesn't exist (any more)."))
    published = _published(board, window)
    mine = None if viewer is None else find_own(board, viewer, published)
    absence = None if viewer is None else find_absence(mine, viewer, board, now)
    if published is None:
        return BoardPage(board, None, [], [], None, None, Own(absence=absence) if viewer else None, problem=problem)
    listed = None if absence else mine
    apart = [] if listed is None or listed.pk in {rating.pk for rating in window.ratings} else [listed]
    sought = position.key if isinstance(position, Around) else ""
    yesterday = find_yesterday(board, published, now)
    rows = make_rows([*window.ratings, *apart], board, published, yesterday, viewer=viewer, sought=sought)
    row = rows.pop() if apart else None
    podium = 0 if window.more_before else PODIUM
    place = window.place or _find_place(rows)
    return BoardPage(
        board=board,
        published=published,
        podium=rows[:podium],
        rows=rows[podium:],
        previous=None
        if window.previous is None
        else query_of(place and place - size, published.ranks, f"before={window.previous}"),
        next=None if window.next is None else query_of(place and place + size, published.ranks, f"after={window.next}"),
        own=None if viewer is None else make_own(board, published, listed, row=row, absence=absence, rows=rows),
        around=sought,
        problem=problem,
        tier_target=None
        if listed is None or not board.season.current
        else find_tier_target(published, board, published_value(listed)),
        choice=find_choice(mine, now) if board.region and mine is not None else None,
        home="" if mine is None else mine.region,
    )


def _find_place(rows: Sequence[Row]) -> int | None:
    """Return the place of the first of these rows, if one of them has another rank than the row before it."""
    changes = (row.rank - number for number, row in enumerate(rows) if number and row.rank != rows[number - 1].rank)
    return next(changes, None)


def query_of(place: int | None, ranks: RankTable, otherwise: str) -> str:
    """Return what an address asks for to get the page from a place on; "" for the first page.

    `otherwise`: what it asks for if the place isn't known, or begins deep among equals; see `find_window`.
    """
    if place is None or place > len(ranks):
        return otherwise
    if place <= 1:
        return ""
    return otherwise if place - ranks.rank_of(ranks.value_at_rank(place)) > DEEPEST else f"from={place}"


def _published(board: Board, window: Window) -> Published | None:
    """Return the board that was in force when the window was read; raise Superseded."""
    if not window.ratings:
        return find_published(board.mode, board.season, board.region)
    first = window.ratings[0]
    return published_with(first, board.mode, first.regional_id)
