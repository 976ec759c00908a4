"""A page of a friends board: listed players, the others below the line, and the viewer's own row in sight."""

from __future__ import annotations

import datetime as dt

from leaderboards.boards.absence import absences_of
from leaderboards.boards.boards import Board
from leaderboards.boards.own import make_own
from leaderboards.boards.pages import PODIUM, BoardPage, Unranked, page_or_first
from leaderboards.boards.positions import Around, Position
from leaderboards.boards.ratings import BoardRating, published_value
from leaderboards.boards.rows import make_rows
from leaderboards.boards.windows import PAGE
from leaderboards.people.friends_window import find_friends_window
from ranking.models import Player


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
