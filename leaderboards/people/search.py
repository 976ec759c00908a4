"""Search for players by their names, fifty a page; on a board, with their place or why they have none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Exists, QuerySet

from leaderboards.boards.absence import Absence, absences_of
from leaderboards.boards.boards import Board
from leaderboards.boards.published import SnapshotColumns, Standing, published_with, read_consistently, with_snapshot
from leaderboards.people.following import Relation, relations_of
from ranking.database.cursors import BadCursor
from ranking.models import Player, Rating
from ranking.players import search
from ranking.players.former_names import find_by_former_name
from ranking.rules.names import fold
from ranking.seasons.strikes import strike_in_force

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

PAGE = 50
ALIKE = 5
LONGEST = 64


class _Columns(SnapshotColumns):
    """The annotations of the ratings of players who were found."""

    struck: bool


class NamePage(NamedTuple):
    """A page of players whose names hold `query`, which is the question as it can be shown.

    `next`: what `after` is for the next page. `later`: there are pages before this one. `former`: by id, the names that
    players gave up, of those who are found by them alone.
    """

    query: str
    players: Sequence[Player] = ()
    next: str = ""
    later: bool = False
    former: Mapping[int, str] = {}


class Hit(NamedTuple):
    """A player found; `played`: they have a rating in the board's mode and season. `struck`: from this season."""

    player: Player
    rating: str
    standing: Standing | None
    absence: Absence | None
    played: bool
    struck: bool
    relation: Relation | None = None
    former: str = ""  # the name that they gave up, if they are found by it


class Hits(NamedTuple):
    """A page of hits; `query`, `next` and `later` as of NamePage."""

    query: str
    hits: list[Hit]
    next: str
    later: bool


def find_by_name(text: str, after: str = "") -> NamePage:
    """Return the page of players after `after`; the first page if it is none of this search. Five queries at most."""
    query = text.strip()[:LONGEST]
    if not query or "\0" in query:  # no name holds a NUL
        return NamePage(query.replace("\0", "\ufffd"))
    if len(fold(query)) >= search.PART:
        return _page_of_best(query, int(after) if after.isdecimal() and len(after) < 6 else 0)
    players = search.find_players(query)
    later = _is_cursor(after, query)
    if later:
        players = players.filter(search.PLAYERS.after(after))
    rows = list(players[: PAGE + 1])
    if later and not rows:  # the players there have other names by now
        return find_by_name(text)
    page = rows[:PAGE]
    return NamePage(query, page, search.PLAYERS.cursor_of(page[-1]) if len(rows) > PAGE else "", later)


def find_alike(text: str) -> list[Player]:
    """Return some players whose name holds a text, by name. One query."""
    text = text[:LONGEST]
    if len(fold(text)) < search.PART:
        return []
    found = Player.objects.filter(search.name_holds(text, PAGE), merged_into=None, is_bot=False, anonymised_at=None)
    return sorted(found[:ALIKE], key=lambda player: player.name)


def _page_of_best(query: str, start: int) -> NamePage:
    """Return a page of the best players for a query; `start`: how many come before it. Former names come last."""
    found, former = search.find_best(query), find_by_former_name(query)
    former = {pk: former[pk] for pk in former.keys() - set(found)}
    found += sorted(former, key=lambda pk: (fold(former[pk]), pk))
    if start >= len(found):
        start = 0
    page = found[start : start + PAGE]
    players = Player.objects.in_bulk(page)
    following = str(start + PAGE) if len(found) > start + PAGE else ""
    return NamePage(query, [players[pk] for pk in page if pk in players], following, start > 0, former)


def _is_cursor(text: str, query: str) -> bool:
    """True if a cursor lies behind the beginning of these names."""
    try:
        name, pk = search.PLAYERS.read_cursor(text)
    except BadCursor:
        return False
    return bool((name, pk) > (fold(query), 0))


def search_board(board: Board, text: str, now: dt.datetime, *, viewer: Player | None, after: str = "") -> Hits | None:
    """Return players found by name, with their places and what they are to the viewer; None for no question."""
    page = find_by_name(text, after)
    return read_consistently(lambda: _hits(board, page, now, viewer)) if page.query else None


def _hits(board: Board, page: NamePage, now: dt.datetime, viewer: Player | None) -> Hits:
    """Raise Superseded."""
    ratings = _ratings(board, page.players)
    listed = next((rating for rating in ratings.values() if rating.listed), None)
    published = None if listed is None else published_with(listed, board.mode)
    pairs = [(ratings.get(player.pk), player) for player in page.players]
    relations = relations_of(viewer, (player.pk for player in page.players), now)
    hits = []
    for (rating, player), absence in zip(
        pairs, absences_of(pairs, board.mode, now, None if board.over else board.season), strict=True
    ):
        value = rating.published_hundredths if rating is not None and rating.listed else None
        hits.append(
            Hit(
                player=player,
                rating="" if value is None or published is None else board.rating_text(value),
                standing=None if value is None or published is None else published.standing(value),
                absence=absence,
                played=rating is not None,
                struck=rating is not None and rating.struck,
                relation=relations.get(player.pk),
                former=page.former.get(player.pk, ""),
            )
        )
    return Hits(page.query, hits, page.next, page.later)


def _ratings(board: Board, players: Sequence[Player]) -> dict[int, WithAnnotations[Rating, _Columns]]:
    """Return the ratings of players in a board's mode and season, by player."""
    if not players:
        return {}
    rows = _ratings_with_snapshot().filter(player__in=players, mode=board.mode, season=board.season)
    return {rating.player_id: rating for rating in rows}


@cache
def _ratings_with_snapshot() -> QuerySet[WithAnnotations[Rating, _Columns]]:
    """All ratings with the newest snapshot of their mode; `filter` copies the query, which takes long to build anew."""
    return with_snapshot(Rating.objects.annotate(struck=Exists(strike_in_force())))
