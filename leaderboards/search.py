"""Finding players by how their name begins, with their place on a board or why they have none."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from leaderboards.boards import Board
from leaderboards.friends import Relation, relations_of
from leaderboards.listing import Absence, absence_of
from leaderboards.published import Standing, published_with, read_consistently, with_snapshot
from ranking.models import Player, Rating
from ranking.names import fold
from ranking.players import ByName, name_begins

MOST = 20
LONGEST = 64
_READ = ("player_id", "listed", "published_hundredths", "wins", "draws", "losses", "active_until", "recent_completions")


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
    query = text.strip()[:LONGEST]
    folded = fold(query)
    if not query or "\0" in folded:
        return query.replace("\0", "\ufffd"), [], False
    players = list(Player.objects.filter(name_begins(folded), merged_into=None).order_by(ByName(), "id")[: MOST + 1])
    return query, players[:MOST], len(players) > MOST


def find_players(board: Board, text: str, now: dt.datetime, *, viewer: Player | None) -> Hits | None:
    """Players whose name begins so, with their places and what they are to the viewer; None for no question."""
    query, players, more = find_by_name(text)
    if not query:
        return None
    relations = relations_of(viewer, (player.pk for player in players))
    return Hits(query, read_consistently(lambda: _hits(board, players, relations, now)), more)


def _hits(board: Board, players: list[Player], relations: dict[int, Relation], now: dt.datetime) -> list[Hit]:
    ratings = Rating.objects.filter(mode=board.mode, season=board.season, player__in=players).only(*_READ)
    found = with_snapshot(ratings, mode=board.mode, season=board.season)
    by_player = {rating.player_id: rating for rating in found}
    hits = [_hit(board, player, by_player.get(player.pk), now) for player in players]
    return [replace(hit, relation=relations.get(hit.player.pk)) for hit in hits]


def _hit(board: Board, player: Player, rating: Rating | None, now: dt.datetime) -> Hit:
    listed = rating if rating is not None and rating.listed else None
    published = None if listed is None else published_with(listed, board.mode)
    if listed is None or published is None or listed.published_hundredths is None:
        return Hit(player, "", None, absence_of(rating, player, board.mode, now), rating is not None)
    value = listed.published_hundredths
    return Hit(player, board.rating_text(value), published.standing(value), None, played=True)
