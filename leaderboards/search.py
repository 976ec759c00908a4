"""Finding players by how their name begins, with their place on a board or why they have none."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import BigIntegerField, CharField, FilteredRelation, Q, QuerySet

from leaderboards.boards import Board
from leaderboards.friends import Relation, relations_of
from leaderboards.listing import Absence, absences_of
from leaderboards.published import Standing, published_at, read_consistently, with_snapshot
from ranking.models import Player, Rating
from ranking.names import fold
from ranking.players import ByName, name_bounds, named_between
from ranking.prepared import Given, Prepared, PreparedModels, prepare, prepare_models

MOST = 20
LONGEST = 64
_PLAYER = ("id", "key", "name", "hidden_at", "anonymised_at")
_READ = {"id", "listed", "published_hundredths", "wins", "draws", "losses", "active_until", "recent_completions"}
_RATING = [field.attname for field in Rating._meta.concrete_fields if field.attname in _READ]
_LISTED, _VALUE = _RATING.index("listed"), _RATING.index("published_hundredths")


@dataclass(frozen=True, slots=True)
class Hit:
    player: Player
    rating: str
    standing: Standing | None
    absence: Absence | None
    played: bool
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found for a name; `more` than are here."""

    query: str
    hits: list[Hit]
    more: bool


def find_by_name(text: str) -> tuple[str, list[Player], bool]:
    """What was asked, as it can be shown; players whose name begins so, by name; whether there are more."""
    query, bounds = _question(text)
    players = _named().objects(**bounds) if bounds else []
    return query, players[:MOST], len(players) > MOST


def _question(text: str) -> tuple[str, dict[str, str]]:
    """What was asked, as it can be shown, and between what such names are; nothing for what no name can hold."""
    query = text.strip()[:LONGEST]
    folded = fold(query)
    if not query or "\0" in folded:
        return query.replace("\0", "\ufffd"), {}
    first, last = name_bounds(folded)
    return query, {"first": first, "last": last}


def _players() -> QuerySet[Player, Player]:
    between = named_between(Given("first", CharField()), Given("last", CharField()))
    return Player.objects.filter(between, merged_into=None).order_by(ByName(), "id")


@cache
def _named() -> PreparedModels[Player]:
    return prepare_models(_players()[: MOST + 1])


@cache
def _placed() -> Prepared:
    """The same with their ratings in a mode and season, and the snapshot in force."""
    mode, season = Given("mode", BigIntegerField()), Given("season", BigIntegerField())
    own = FilteredRelation("ratings", condition=Q(ratings__mode=mode, ratings__season=season))
    rows = with_snapshot(_players().annotate(own=own), mode=mode, season=season)
    names = (*_PLAYER, *(f"own__{name}" for name in _RATING), "snapshot_id", "snapshot_taken_at")
    return prepare(rows.values_list(*names)[: MOST + 1])


def find_players(board: Board, text: str, now: dt.datetime, *, viewer: Player | None) -> Hits | None:
    """Players whose name begins so, with their places and what they are to the viewer; None for no question."""
    query, bounds = _question(text)
    if not query:
        return None
    return read_consistently(lambda: _hits(board, query, bounds, now, viewer))


def _hits(board: Board, query: str, bounds: dict[str, str], now: dt.datetime, viewer: Player | None) -> Hits:
    rows = _placed().rows(mode=board.mode.pk, season=board.season.pk, **bounds) if bounds else []
    found = [_read(row) for row in rows[:MOST]]
    relations = relations_of(viewer, (player.pk for player, _, _ in found))
    absent = [(rating, player) for player, value, rating in found if value is None]
    absences = dict(zip((player.pk for _, player in absent), absences_of(absent, board.mode, now), strict=True))
    shown = published_at(rows[0][-2], rows[0][-1], board.mode) if len(absent) < len(found) else None
    hits = [
        Hit(
            player=player,
            rating="" if value is None or shown is None else board.rating_text(value),
            standing=None if value is None or shown is None else shown.standing(value),
            absence=absences.get(player.pk),
            played=value is not None or rating is not None,
            relation=relations.get(player.pk),
        )
        for player, value, rating in found
    ]
    return Hits(query, hits, len(rows) > MOST)


def _read(row: Sequence[Any]) -> tuple[Player, int | None, Rating | None]:
    """A player, and the rating that boards show or else, if they have one, what tells why they don't."""
    player, rating = Player.from_db("default", _PLAYER, row[: len(_PLAYER)]), row[len(_PLAYER) : -2]
    if rating[_LISTED]:
        return player, rating[_VALUE], None
    return player, None, None if rating[0] is None else Rating.from_db("default", _RATING, rating)
