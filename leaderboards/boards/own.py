"""What a board tells the viewer: their own row, how far the next rank is, which region they play in, and may choose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils import timezone

from leaderboards.boards.absence import Absence, absence_of, absent_from_region, absent_from_season
from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Superseded
from leaderboards.boards.rows import BoardRating, DrawnColumns, Row, drawn_ratings, published_value
from leaderboards.display.regions import is_named, region_name
from ranking.models import Player, Rating
from ranking.rules.rank_table import RankTable
from ranking.standings.regions import SAME, UNKNOWN, free_from, may_choose_region
from ranking.standings.snapshots import find_newest, regions_of
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True, slots=True)
class Target:
    """The next rank above, and how far it is."""

    rank: int
    points: str


@dataclass(frozen=True, slots=True)
class Threat:
    """Who follows: how many are level with the player; else the rank below, how far it is, and whose it is.

    `name`: of the first player of that rank; "" if it isn't at hand, or isn't shown.
    """

    level: int
    rank: int
    points: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Own:
    """The viewer's row if the page doesn't show it, or why there is none; their next target, and who follows."""

    row: Row | None = None
    absence: Absence | None = None
    target: Target | None = None
    threat: Threat | None = None
    on_page: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The viewer's region, the region that they chose since, and whether and from when they may choose."""

    region: str
    coming: str
    free: bool
    free_from: dt.datetime | None


def find_rating(board: Board, viewer: Player) -> Rating | None:
    """Return the viewer's rating in a board's mode and season."""
    return Rating.objects.filter(player=viewer, mode=board.mode, season=board.season).first()


def find_own(board: Board, viewer: Player, published: Published | None) -> WithAnnotations[Rating, DrawnColumns] | None:
    """Return the viewer's rating as it was published in the same snapshot; raise Superseded."""
    mine = drawn_ratings().filter(player=viewer, mode=board.mode, season=board.season).first()
    if mine is not None and published is not None and mine.snapshot_id != published.snapshot_id:
        raise Superseded
    return mine


def find_absence(mine: Rating | None, viewer: Player, board: Board, now: dt.datetime) -> Absence | None:
    """Return why the viewer isn't on this board; None if they are."""
    if board.season.current:
        absence = absence_of(mine, viewer, board.mode, now, board.season)
    else:
        is_on_board = mine is not None and mine.listed
        absence = None if is_on_board else absent_from_season(board.season.local_name, mine is not None)
    if absence is None and mine is not None and board.region not in ("", mine.region):
        return absent_from_region(mine)
    return absence


def make_own(
    board: Board,
    published: Published | None,
    listed: BoardRating | None,
    *,
    row: Row | None,
    absence: Absence | None,
    rows: Sequence[Row] = (),
) -> Own:
    """Return what the page tells the viewer. `listed`: their rating on the board; `row`: its row if it stands apart.

    `rows`: those of the page, which may have the name of who follows.
    """
    if listed is None or published is None:
        return Own(row, absence)
    if not board.season.current:
        return Own(row, absence, on_page=row is None)
    value = published_value(listed)
    target, threat = find_target(board, published.ranks, value), find_threat(board, published.ranks, value)
    if threat is not None and not threat.level:
        name = next((other.player.name for other in rows if other.rank == threat.rank), "")
        threat = replace(threat, name=name)
    return Own(row, absence, target, threat, on_page=row is None)


def find_target(board: Board, ranks: RankTable, value: int) -> Target | None:
    """Return the next rank above a rating on a board; None at the top, and if the mode doesn't show ratings."""
    above = ranks.find_next_above(value) if board.mode.shows_rating else None
    return None if above is None else Target(ranks.rank_of(above), board.rating_text(above - value))


def find_threat(board: Board, ranks: RankTable, value: int) -> Threat | None:
    """Return who follows a rating on a board; None at the bottom, and if the mode doesn't show ratings."""
    if not board.mode.shows_rating:
        return None
    if level := ranks.count(value) - 1:
        return Threat(level, ranks.rank_of(value), "")
    below = ranks.find_next_below(value)
    return None if below is None else Threat(0, ranks.rank_of(below), board.rating_text(value - below))


def find_choice(mine: Rating, now: dt.datetime) -> Choice:
    coming = "" if mine.chosen_region == mine.region else mine.chosen_region
    return Choice(mine.region, coming, may_choose_region(mine, now), free_from(mine))


def is_region(board: Board) -> bool:
    """True if the board's region has a name, or listed players; at most one query, and one a publication."""
    if is_named(board.region):
        return True
    newest = find_newest(board.mode.pk, board.season.pk)
    return newest is not None and board.region in regions_of(newest)


def no_choice_words(code: str, rating: Rating, region: str) -> str:
    """Return why this player can't choose this region; `code` as ranking.standings.regions has it."""
    if code == UNKNOWN:
        return gettext("There is no such region here.")
    if code == SAME:
        return gettext("You play in %(region)s already.") % {"region": region_name(region)}
    free_at = free_from(rating)
    day = date_text(timezone.localtime(free_at)) if free_at else ""
    return gettext("You can choose a region again on %(day)s.") % {"day": day}
