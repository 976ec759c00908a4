"""What each view of a board is called: the title of the browser's tab, the sentence of searches and link previews."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.boards.boards import Board
from leaderboards.boards.pages import BoardPage
from leaderboards.display.regions import region_name
from ranking.wording.translation import gettext, ngettext, number_text

LEADERS = 3  # named in the sentence


@dataclass(frozen=True, slots=True)
class Title:
    """`title` without the site's name; `description` is a sentence."""

    title: str
    description: str


def title_of(board: Board, view: str, *, page: BoardPage | None = None, query: str = "") -> Title:
    """Name a view ("global", "region", "friends", "distribution" or "tiers"), its page, or what a query found."""
    where = board.mode.local_name
    if board.over:
        where = f"{where}, {board.season.local_name}"
    if board.region:
        where = f"{where}, {region_name(board.region)}"
    if query:
        found = gettext("Players with “%(query)s”") % {"query": query}
        return Title(f"{found} · {where}", gettext("Players of %(board)s, by name.") % {"board": where})
    if view == "distribution":
        sentence = gettext("How the ratings of %(board)s are spread, and which share of the players has more.")
        return Title(f"{gettext('Distribution')} · {where}", sentence % {"board": where})
    if view == "tiers":
        sentence = gettext("The tiers of %(board)s: the share of the players that each one holds, and where it begins.")
        return Title(f"{gettext('Tiers')} · {where}", sentence % {"board": where})
    part = _part_of(page)
    if view == "friends":
        sentence = gettext("%(board)s among friends: players whom you follow, and their ranks on everybody’s board.")
        friends = f"{gettext('Friends')} · {where}"
        return Title(f"{part} · {friends}" if part else friends, sentence % {"board": where})
    return Title(f"{part} · {where}" if part else where, _sentence(where, page))


def _part_of(page: BoardPage | None) -> str:
    """Which part of the board a page is; "" for the first page."""
    if page is None or not page.shown:
        return ""
    if page.sought is not None:
        return gettext("Around %(name)s") % {"name": page.sought.player.name}
    if page.previous is None:
        return ""
    return gettext("Ranks %(first)s–%(last)s") % _ranks_of(page)


def _ranks_of(page: BoardPage) -> dict[str, str]:
    return {"first": number_text(page.shown[0].rank), "last": number_text(page.last.rank)}


def _sentence(where: str, page: BoardPage | None) -> str:
    if page is None or not page.shown:
        return gettext("The board of %(board)s.") % {"board": where}
    listed = ngettext("%(number)s player on the board", "%(number)s players on the board", page.listed)
    values = {"board": where, "listed": listed % {"number": number_text(page.listed)}, **_ranks_of(page)}
    names = [row.player.name for row in page.shown[:LEADERS] if row.player.name]
    if page.previous is None and names:
        return gettext("%(board)s: %(listed)s. At the top: %(names)s.") % {**values, "names": ", ".join(names)}
    return gettext("%(board)s: ranks %(first)s to %(last)s, %(listed)s.") % values
