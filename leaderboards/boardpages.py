"""One page of a board: its rows, and the viewer's own wherever it is."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboards.boards import Board
from leaderboards.listing import Absence, absence_of
from leaderboards.positions import Around, BadPosition, Position, Top
from leaderboards.published import (
    Published,
    Superseded,
    published,
    published_with,
    read_consistently,
    with_snapshot,
)
from leaderboards.rows import Row, find_yesterday, make_rows
from leaderboards.sparks import with_last_ratings
from leaderboards.windows import Window, find_window
from ranking.models import Player, Rating
from ranking.snapshots import find_newest

PODIUM = 3


@dataclass(frozen=True, slots=True)
class Target:
    """The next rank above, and how far it is."""

    rank: int
    points: str


@dataclass(frozen=True, slots=True)
class Own:
    """The viewer's row where the page doesn't show it, or why there is none; and their next target."""

    row: Row | None = None
    absence: Absence | None = None
    target: Target | None = None
    on_page: bool = False


@dataclass(frozen=True, slots=True)
class BoardPage:
    """`around` is the key of who was asked for; `problem` says why this is the first page and not what was asked."""

    board: Board
    published: Published | None
    podium: list[Row]
    rows: list[Row]
    previous: str
    next: str
    own: Own | None
    around: str = ""
    problem: str = ""

    @property
    def shown(self) -> list[Row]:
        return [*self.podium, *self.rows]

    @property
    def sought(self) -> Row | None:
        return next((row for row in self.shown if row.sought), None)

    @property
    def last(self) -> Row:
        return self.shown[-1]


def load_page(
    board: Board, position: Position, *, viewer: Player | None, now: dt.datetime, problem: str = ""
) -> BoardPage:
    """The page at a position, or the first where there is no such position."""
    try:
        return read_consistently(lambda: _load(board, position, viewer, now, problem))
    except BadPosition as error:
        sentence = str(error)
    return read_consistently(lambda: _load(board, Top(), viewer, now, sentence))


def _load(board: Board, position: Position, viewer: Player | None, now: dt.datetime, problem: str) -> BoardPage:
    window = find_window(board, position)
    if not window.ratings and not isinstance(position, Top):
        raise BadPosition("That page doesn't exist (any more).")
    shown = _published(board, window)
    mine = None if viewer is None else _find_own(board, viewer, shown)
    if shown is None:
        own = Own(absence=absence_of(mine, viewer, board.mode, now)) if viewer else None
        return BoardPage(board, None, [], [], "", "", own, problem=problem)
    apart = [mine] if mine is not None and mine.listed and mine.pk not in {r.pk for r in window.ratings} else []
    sought = position.key if isinstance(position, Around) else ""
    yesterday = find_yesterday(board, now)
    rows = make_rows([*window.ratings, *apart], board, shown, yesterday, viewer=viewer, sought=sought)
    own = None
    if viewer is not None:
        own = Own(
            row=rows.pop() if apart else None,
            absence=absence_of(mine, viewer, board.mode, now),
            target=_target(board, shown, mine),
            on_page=not apart and mine is not None and mine.listed,
        )
    podium = 0 if window.more_before else PODIUM
    return BoardPage(
        board=board,
        published=shown,
        podium=rows[:podium],
        rows=rows[podium:],
        previous=str(window.previous or ""),
        next=str(window.next or ""),
        own=own,
        around=sought,
        problem=problem,
    )


def _published(board: Board, window: Window) -> Published | None:
    """The snapshot in force when the rows were read; on an empty board, the newest."""
    if window.ratings:
        return published_with(window.ratings[0], board.mode)
    newest = find_newest(board.mode.pk, board.season.pk)
    return None if newest is None else published(newest, board.mode)


def _find_own(board: Board, viewer: Player, shown: Published | None) -> Rating | None:
    """The viewer's rating as it was published in the same snapshot; raises Superseded."""
    ratings = Rating.objects.filter(player=viewer, mode=board.mode, season=board.season)
    mine = with_last_ratings(with_snapshot(ratings), board).select_related("player").first()
    if mine is not None and shown is not None and mine.snapshot_id != shown.snapshot_id:
        raise Superseded
    return mine


def _target(board: Board, shown: Published, mine: Rating | None) -> Target | None:
    if mine is None or not mine.listed or mine.published_hundredths is None or not board.mode.shows_rating:
        return None
    above = shown.table.find_next_above(mine.published_hundredths)
    if above is None:
        return None
    return Target(shown.table.rank_of(above), board.rating_text(above - mine.published_hundredths))
