"""The front page: players' own modes and friends' news; each other ranked mode with its best; the latest matches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import OuterRef, Subquery

from leaderboards.achievements.showing import EarnedAchievement
from leaderboards.boards.boards import ORDER, Board, board_of, current_seasons
from leaderboards.boards.published import Published, Superseded, published, read_consistently, with_snapshot
from leaderboards.home._latest import OwnResult, Result, find_friends_news, load_latest
from leaderboards.home.own_modes import OwnMode, find_own_modes
from leaderboards.seasons.champions import LastSeason, load_last_seasons
from ranking.database.prepared_queries import PreparedModels, prepare_models
from ranking.models import Mode, Player, Rating, Snapshot
from ranking.rules.tiers import Tier

BEST = 5


@dataclass(frozen=True, slots=True)
class Leader:
    player: Player
    rank: int
    rating: str
    tier: Tier | None


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A ranked mode; `published` is None before its first publication."""

    board: Board
    published: Published | None
    best: list[Leader]


@dataclass(frozen=True, slots=True)
class Home:
    """What the template shows. `own`: the viewer's modes; `cards`: the others. `last`: the viewer's last match.

    `last_seasons`: those that ended within a week, with their champions. `newest`: the newest snapshot's id.
    """

    newest: int | None
    cards: list[ModeCard]
    last_seasons: list[LastSeason]
    for_fun: list[Mode]
    latest: list[Result]
    own: list[OwnMode]
    last: OwnResult | None
    news: list[EarnedAchievement]


def load_home(viewer: Player | None, now: dt.datetime) -> Home:
    """Return the front page: four queries, however many modes there are; seven more for a player.

    Two more in the week after a season ended.
    """
    return read_consistently(lambda: _load(viewer, now))


def _load(viewer: Player | None, now: dt.datetime) -> Home:
    seasons = _seasons().objects()
    ranked = [season for season in seasons if season.mode.ranked]
    own = [] if viewer is None else find_own_modes(viewer, now)
    played = {mode.board.mode.pk for mode in own}
    others = [season for season in ranked if season.mode_id not in played]
    leaders = [getattr(season, f"best_{place}") for season in others for place in range(BEST)]
    ratings = with_snapshot(Rating.objects.filter(pk__in=[pk for pk in leaders if pk]))
    best = list(ratings.select_related("player").order_by(*ORDER))
    latest, last = load_latest(viewer, [mode.board for mode in own])
    return Home(
        newest=max((season.newest_id for season in seasons if season.newest_id), default=None),
        cards=[_card(season, [rating for rating in best if rating.season_id == season.pk]) for season in others],
        last_seasons=load_last_seasons(ranked, now),
        for_fun=[season.mode for season in seasons if not season.mode.ranked],
        latest=latest,
        own=own,
        last=last,
        news=[] if viewer is None else find_friends_news(viewer),
    )


@cache
def _seasons() -> PreparedModels[Any]:
    """Return the query of all current seasons, each with its newest snapshot and the ids of its best ratings."""
    rows = Rating.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), listed=True).order_by(*ORDER)
    newest = Snapshot.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), region="").order_by("-id")
    return prepare_models(
        current_seasons().annotate(
            newest_id=Subquery(Snapshot.objects.order_by("-id").values("id")[:1]),
            snapshot_id=Subquery(newest.values("id")[:1]),
            snapshot_taken_at=Subquery(newest.values("taken_at")[:1]),
            **{f"best_{place}": Subquery(rows.values("pk")[place : place + 1]) for place in range(BEST)},
        )
    )


def _card(season: Any, ratings: Sequence[Any]) -> ModeCard:
    board = board_of(season)
    if season.snapshot_id is None:
        return ModeCard(board, None, [])
    if any(rating.snapshot_id != season.snapshot_id for rating in ratings):
        raise Superseded
    shown = published(board.mode, season.snapshot_id, season.snapshot_taken_at)
    leaders = [
        Leader(rating.player, shown.table.rank_of(value), board.rating_text(value), shown.standing(value).tier)
        for rating in ratings
        if (value := rating.published_hundredths) is not None
    ]
    return ModeCard(board, shown, leaders)
