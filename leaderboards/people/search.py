"""Finding players by how their name begins, fifty a page; on a board with their place or why they have none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Case, Func, JSONField, OuterRef, QuerySet, Subquery, TextField, When
from django.db.models.functions import JSONArray

from leaderboards.boards.absence import Absence, absences_of
from leaderboards.boards.boards import Board, get_board, prepare_board, read_board
from leaderboards.boards.microseconds import Microseconds
from leaderboards.boards.positions import moment_at
from leaderboards.boards.published import Standing, newest_snapshot, published_at, read_consistently
from leaderboards.people.following import Relation, relations_of
from ranking.database.keyset import BadCursor
from ranking.database.prepared_queries import OpaquePlaceholder, Prepared, PreparedModels, prepare_models
from ranking.models import Player, Rating
from ranking.players.search import PLAYERS, ByName, name_bounds, names_before
from ranking.rules.names import fold

PAGE = 50
LONGEST = 64
_PLAYER = ("id", "key", "name", "hidden_at", "anonymised_at")
_RATING = ("wins", "draws", "losses", "recent_completions", "active_until", "listed")
_Start = tuple[str, int]  # a name and an id, of which those that follow are found


class Named(NamedTuple):
    """A player, as far as a list of names shows them."""

    pk: int
    key: str
    name: str


class Hit(NamedTuple):
    player: Named
    rating: str
    standing: Standing | None
    absence: Absence | None
    played: bool
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """A page of what was found for a name; `next` is where the next one begins. `later`: there are pages before."""

    query: str
    hits: list[Hit]
    next: str = ""
    later: bool = False


def find_by_name(text: str, after: str = "") -> tuple[str, list[Player], str]:
    """What was asked, as it can be shown; a page of players whose name begins so; where the next one begins."""
    query, bounds = _question(text)
    if bounds is None:
        return query, [], ""
    first, last = bounds
    start = _later(after, first, last)
    players = _by_name().objects(**_between(start or first, last))
    if start and not players:  # whoever was there has another name by now
        return find_by_name(text)
    return query, players[:PAGE], PLAYERS.cursor_of(players[PAGE - 1]) if len(players) > PAGE else ""


def _question(text: str) -> tuple[str, tuple[_Start, str] | None]:
    """What was asked, as it can be shown, and between what such names are; None for what no name can hold."""
    query = text.strip()[:LONGEST]
    folded = fold(query)
    if not query or "\0" in folded:
        return query.replace("\0", "\ufffd"), None
    first, last = name_bounds(folded)
    return query, ((first, 0), last)


def _later(cursor: str, first: _Start, last: str) -> _Start | None:
    """Where a later page begins; None for a cursor that no page of these names gave."""
    try:
        name, pk = (value.value for value in PLAYERS.read_cursor(cursor))
    except BadCursor:
        return None
    return (name, pk) if first < (name, pk) < (last, 0) else None


def _between(start: _Start, last: str) -> dict[str, Any]:
    return {"name": start[0], "id": start[1], "last": last}


def _players() -> QuerySet[Player, Player]:
    first = OpaquePlaceholder("name", TextField()), OpaquePlaceholder("id", BigIntegerField())
    start = PLAYERS.compared(">", PLAYERS.names(), first)
    before = names_before(OpaquePlaceholder("last", TextField()))
    return Player.objects.filter(start, before, merged_into=None).order_by(ByName(), "id")


@cache
def _by_name() -> PreparedModels[Player]:
    return prepare_models(_players()[: PAGE + 1])


class _Json(Func):
    """What SQLite takes for text, as the JSON that it is."""

    arity, output_field = 1, JSONField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "json", **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, template="%(expressions)s", **more)


class _Rows(Subquery):
    """The arrays that a subquery selects, in its order, as one JSON array."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        super().__init__(queryset, output_field=JSONField())

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "(SELECT json_group_array(json(found)) FROM (%(subquery)s))"
        return self.as_sql(compiler, connection, template, **more)

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(compiler, connection, "to_jsonb(ARRAY(%(subquery)s))", **more)


@cache
def _placed() -> Prepared:
    """A board, such players with what `_value` and `_absentee` read of them, and the snapshot in force: one row."""
    own = Rating.objects.filter(player=OuterRef("pk"), mode=OuterRef(OuterRef("mode")), season=OuterRef(OuterRef("pk")))
    counts = ("wins", "draws", "losses", _Json("recent_completions"))
    why = _Json(_where(False, JSONArray(*counts, Microseconds("active_until"))))
    seen = own.values(found=JSONArray(_where(True, "published_hundredths"), why))
    hidden = (Microseconds("hidden_at"), Microseconds("anonymised_at"))
    players = _players().values(found=JSONArray("id", "key", "name", "search_name", *hidden, _Json(Subquery(seen))))
    return prepare_board(found=_Rows(players[: PAGE + 1]), **newest_snapshot(OuterRef("mode"), OuterRef("pk")))


def _where(listed: bool, what: Any) -> Case:
    return Case(When(listed=listed, then=what))


def find_players(
    slug: str, region: str, text: str, now: dt.datetime, *, viewer: Player | None, after: str = ""
) -> tuple[Board, Hits | None]:
    """A board and players whose name begins so, with their places and what they are to the viewer.

    A page of them: the first, or the one after a cursor as `next` says it. None for no question; raises
    Season.DoesNotExist where there is no board.
    """
    query, bounds = _question(text)
    if bounds is None:
        return get_board(slug, region), Hits(query, []) if query else None
    first, last = bounds
    start = _later(after, first, last)
    board, hits = read_consistently(lambda: _find(slug, region, query, start or first, last, now, viewer))
    if start is None:
        return board, hits
    if not hits.hits:  # whoever was there has another name by now
        return find_players(slug, region, text, now, viewer=viewer)
    return board, replace(hits, later=True)


def _find(
    slug: str, region: str, query: str, start: _Start, last: str, now: dt.datetime, viewer: Player | None
) -> tuple[Board, Hits]:
    board, (rows, snapshot_id, taken_at) = read_board(_placed().rows(slug=slug, **_between(start, last)), slug, region)
    found = rows[:PAGE]
    relations = relations_of(viewer, (pk for pk, *_ in found))
    absent = {row[0]: _absentee(row) for row in found if _value(row) is None}
    absences = dict(zip(absent, absences_of([*absent.values()], board.mode, now), strict=True))
    shown = published_at(snapshot_id, taken_at, board.mode) if len(absent) < len(found) else None
    hits = []
    for row in found:
        value, rating, standing = _value(row), "", None
        if shown is not None and value is not None:
            rating, standing = board.rating_text(value), shown.standing(value)
        hits.append(
            Hit(
                player=Named(*row[:3]),
                rating=rating,
                standing=standing,
                absence=absences.get(row[0]),
                played=row[-1] is not None,
                relation=relations.get(row[0]),
            )
        )
    return board, Hits(query, hits, next=_cursor(found[-1]) if len(rows) > PAGE else "")


def _cursor(row: Sequence[Any]) -> str:
    """Where the page after one that ends with this row begins."""
    return PLAYERS.cursor_of(Player(pk=row[0], search_name=row[3]))


def _value(row: Sequence[Any]) -> int | None:
    """The rating of one who is on the board."""
    return row[-1][0] if row[-1] else None


def _absentee(row: Sequence[Any]) -> tuple[Rating | None, Player]:
    """One who isn't, and their rating if they have one: what tells why."""
    pk, key, name, _, hidden_at, anonymised_at, own = row
    player = Player.from_db("default", _PLAYER, (pk, key, name, _moment(hidden_at), _moment(anonymised_at)))
    if own is None:
        return None, player
    *counts, active_until = own[1]
    return Rating.from_db("default", _RATING, (*counts, _moment(active_until), False)), player


def _moment(microseconds: int | None) -> dt.datetime | None:
    return None if microseconds is None else moment_at(microseconds)
