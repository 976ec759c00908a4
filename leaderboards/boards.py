"""A ranked mode's board, everyone's or a region's, and its rows in published order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from leaderboards.figures import rating_text
from leaderboards.published import with_snapshot
from ranking.models import Mode, ParameterVersion, Rating, Season
from ranking.systems import system_class

ORDER = ("board_order", "published_reached_at", "id")


@dataclass(frozen=True, slots=True)
class Board:
    """`decimals` are those of the ratings; `region` "" is everyone's board."""

    mode: Mode
    season: Season
    decimals: int
    region: str = ""

    def rating_text(self, hundredths: int) -> str:
        """A rating; empty where the mode doesn't show it."""
        return rating_text(hundredths, self.decimals) if self.mode.shows_rating else ""


def seasons() -> QuerySet[Season, Any]:
    """Seasons with their modes, and the key of the system in force as `system`."""
    versions = ParameterVersion.objects.in_force().filter(mode=OuterRef("mode"))
    return (
        Season.objects.select_related("mode")
        .annotate(system=Subquery(versions.values("system")[:1]))
        .order_by("mode__name", "mode__id")
    )


def current_seasons() -> QuerySet[Season, Any]:
    """The current ones of `seasons`."""
    return seasons().filter(current=True)


def board_of(season: Any, region: str = "") -> Board:
    """The board of a season that `seasons` gave."""
    return Board(season.mode, season, system_class(season.system).decimals, region)


def get_board(slug: str, region: str = "") -> Board:
    """The current board of a ranked mode; raises Season.DoesNotExist."""
    return board_of(current_seasons().get(mode__slug=slug, mode__ranked=True), region)


def rows_of(board: Board) -> QuerySet[Rating, Any]:
    """The listed rows, best first, each with its player and the snapshot in force."""
    ratings = Rating.objects.filter(mode=board.mode, season=board.season, listed=True)
    if board.region:
        ratings = ratings.filter(region=board.region)
    return with_snapshot(ratings, board.region).select_related("player").order_by(*ORDER)
