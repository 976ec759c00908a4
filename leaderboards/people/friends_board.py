"""A page of a friends board: those listed, the others below the line, and the viewer's own row in sight."""

from __future__ import annotations

import datetime as dt

from leaderboards.boards.absence import absences_of
from leaderboards.boards.boards import Board
from leaderboards.boards.own import Own, find_target
from leaderboards.boards.pages import PODIUM, BoardPage, Unranked
from leaderboards.boards.positions import Around, BadPosition, Position, Top
from leaderboards.boards.published import read_consistently
from leaderboards.boards.rows import make_rows
from leaderboards.people.friends_window import find_friends_window
from ranking.models import Player


def load_friends_page(
    board: Board, position: Position, *, viewer: Player, now: dt.datetime, problem: str = ""
) -> BoardPage:
    """The page at a position, or the first where there is no such position."""
    try:
        return read_consistently(lambda: _load(board, position, viewer, now, problem))
    except BadPosition as error:
        sentence = str(error)
    return read_consistently(lambda: _load(board, Top(), viewer, now, sentence))


def _load(board: Board, position: Position, viewer: Player, now: dt.datetime, problem: str) -> BoardPage:
    window = find_friends_window(board, viewer, position, now)
    shown, mine = window.published, window.mine
    others = [(rating, player) for rating, player in window.others if player != viewer]  # of whom `own` speaks
    absence, *absences = absences_of([(mine, viewer), *others], board.mode, now)
    below = [Unranked(player, why) for (_, player), why in zip(others, absences, strict=True) if why is not None]
    apart = [mine] if absence is None and mine not in window.ratings else []
    sought = position.key if isinstance(position, Around) else ""
    listed = [*window.ratings, *apart]
    rows = [] if shown is None else make_rows(listed, board, shown, window.yesterday, viewer=viewer, sought=sought)
    own = Own(
        row=rows.pop() if apart else None,
        absence=absence,
        target=None if absence or shown is None else find_target(board, shown.ranks, mine.published_hundredths),
        on_page=absence is None and not apart,
    )
    podium = PODIUM if window.first else 0
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
        below=below,
        lonely=not window.friends,
    )
