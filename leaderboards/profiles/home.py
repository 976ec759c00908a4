"""The front page: the viewer's standing, each ranked mode with its best, modes for fun, and the latest results."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from leaderboards.boards.boards import ORDER, Board, board_of, current_seasons
from leaderboards.boards.published import Published, Superseded, published, read_consistently, with_snapshot
from leaderboards.postgame.outcomes import score_text, team_name
from leaderboards.profiles.own_card import OwnCard, find_own_card
from leaderboards.seasons.champions import LastSeason, load_last_seasons
from ranking.matches.records import places_of
from ranking.models import Match, Mode, Participation, Player, Rating, Snapshot

BEST = 5
LATEST = 8


@dataclass(frozen=True, slots=True)
class Leader:
    player: Player
    rank: int
    rating: str


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A ranked mode; `published` is None before its first publication."""

    board: Board
    published: Published | None
    best: list[Leader]


@dataclass(frozen=True, slots=True)
class ResultSide:
    name: str
    score: str
    first: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A match in one line: its two sides, or the winners if there are more."""

    match: Match
    sides: list[ResultSide]


@dataclass(frozen=True, slots=True)
class Home:
    """What the template shows. `last_seasons`: those that ended within a week, with their champions."""

    cards: list[ModeCard]
    last_seasons: list[LastSeason]
    for_fun: list[Mode]
    latest: list[Result]
    own: OwnCard | None


def load_home(viewer: Player | None, now: dt.datetime) -> Home:
    """Return the front page: four queries, however many modes there are; three more for a player.

    Two more in the week after a season ended.
    """
    return read_consistently(lambda: _load(viewer, now))


def _load(viewer: Player | None, now: dt.datetime) -> Home:
    rows = Rating.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), listed=True).order_by(*ORDER)
    newest = Snapshot.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), region="").order_by("-id")
    seasons = list(
        current_seasons().annotate(
            snapshot_id=Subquery(newest.values("id")[:1]),
            snapshot_taken_at=Subquery(newest.values("taken_at")[:1]),
            **{f"best_{place}": Subquery(rows.values("pk")[place : place + 1]) for place in range(BEST)},
        )
    )
    ranked = [season for season in seasons if season.mode.ranked]
    leaders = [getattr(season, f"best_{place}") for season in ranked for place in range(BEST)]
    ratings = with_snapshot(Rating.objects.filter(pk__in=[pk for pk in leaders if pk]))
    best = list(ratings.select_related("player").order_by(*ORDER))
    return Home(
        cards=[_card(season, [rating for rating in best if rating.season_id == season.pk]) for season in ranked],
        last_seasons=load_last_seasons(ranked, now),
        for_fun=[season.mode for season in seasons if not season.mode.ranked],
        latest=_latest(),
        own=None if viewer is None else find_own_card(viewer, now),
    )


def _card(season: Any, ratings: Sequence[Any]) -> ModeCard:
    board = board_of(season)
    if season.snapshot_id is None:
        return ModeCard(board, None, [])
    if any(rating.snapshot_id != season.snapshot_id for rating in ratings):
        raise Superseded
    shown = published(board.mode, season.snapshot_id, season.snapshot_taken_at)
    leaders = [
        Leader(rating.player, shown.table.rank_of(value), board.rating_text(value))
        for rating in ratings
        if (value := rating.published_hundredths) is not None
    ]
    return ModeCard(board, shown, leaders)


def _latest() -> list[Result]:
    matches = list(Match.objects.select_related("mode").order_by("-id")[:LATEST])
    parts: dict[int, list[Participation]] = {match.pk: [] for match in matches}
    for part in Participation.objects.filter(match__in=matches).select_related("player").order_by("team", "slot"):
        parts[part.match_id].append(part)
    return [_result(match, parts[match.pk]) for match in matches]


def _result(match: Match, parts: Sequence[Participation]) -> Result:
    places = places_of(match.teams, parts)
    sides = [
        ResultSide(team_name(match, parts, index), score_text(match, index), place == 1)
        for index, place in enumerate(places)
    ]
    return Result(match, sides if len(sides) == 2 else [side for side in sides if side.first])
