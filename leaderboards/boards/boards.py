"""A board: one season of a ranked mode, for everybody or for one region, and the order of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from leaderboards.boards.published import SnapshotColumns, with_snapshot
from leaderboards.display.numbers import rating_text
from ranking.matches.forfeits import is_void
from ranking.models import Forfeit, Mode, ParameterVersion, Rating, Season
from ranking.seasons.archives import mode_of, system_in
from ranking.systems.registry import system_class

ORDER = ("board_order", "published_reached_at", "id")


@dataclass(frozen=True, slots=True)
class Board:
    """`decimals`: how many a rating shows; `region` "": everybody's board."""

    mode: Mode
    season: Season
    decimals: int
    region: str = ""

    @property
    def over(self) -> bool:
        """True if the board's season has ended: nothing on it changes any more."""
        return not self.season.current

    def rating_text(self, hundredths: int) -> str:
        """Return a rating as text; empty if the mode doesn't show ratings."""
        return rating_text(hundredths, self.decimals) if self.mode.shows_rating else ""


class SystemColumns(TypedDict):
    """The annotation of `seasons`."""

    system: str


class BoardColumns(SnapshotColumns, SystemColumns):
    """The annotations of `ratings_with_boards`."""


if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    SeasonWithSystem = WithAnnotations[Season, SystemColumns]
    RatingWithBoard = WithAnnotations[Rating, BoardColumns]


def seasons() -> QuerySet[SeasonWithSystem]:
    """Seasons with their modes and, as `system`, the key of the mode's rating system in force."""
    return _with_system(Season.objects.select_related("mode").order_by("mode__name", "mode__id"))


def _with_system(rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """Add `system`, the key of the rating system in force in the mode of each row."""
    versions = ParameterVersion.objects.in_force().filter(mode=OuterRef("mode"))
    annotated: QuerySet[Any, Any] = rows.annotate(system=Subquery(versions.values("system")[:1]))
    return annotated


def current_seasons() -> QuerySet[SeasonWithSystem]:
    """The current season of each mode, as `seasons` reads it."""
    return seasons().filter(current=True)


def board_of(season: SeasonWithSystem, region: str = "") -> Board:
    """Return the board of a season that `seasons` read; one of an archived season shows what it showed at its end."""
    return Board(mode_of(season), season, system_class(system_in(season) or season.system).decimals, region)


# Conditions on ratings, and their order: those of players who have played or forfeited, or brought their rating along;
# the one played last first.
_OWN = {name: OuterRef(name) for name in ("player", "mode", "season")}
_FORFEITED = Exists(Forfeit.objects.filter(~is_void(), **_OWN))
BEGUN = Q(last_match_at__isnull=False) | Q(placed_at__isnull=False) | Q(seeded_matches__gt=0) | _FORFEITED
PLAYED_LAST = F("last_match_at").desc(nulls_last=True)


def ratings_with_boards(ratings: QuerySet[Rating]) -> QuerySet[RatingWithBoard]:
    """Add what `board_of_rating` needs, and the snapshot of each rating's board."""
    return _with_system(with_snapshot(ratings)).select_related("mode", "season__mode")


def board_of_rating(rating: RatingWithBoard) -> Board:
    """Return the board of a rating that `ratings_with_boards` read."""
    season = rating.season
    return Board(mode_of(season), season, system_class(system_of_rating(rating)).decimals)


def system_of_rating(rating: RatingWithBoard) -> str:
    """Return the key of the system that rates a rating's season, or rated it until its end."""
    return system_in(rating.season) or str(rating.system)


def get_board(slug: str, region: str = "", *, number: int | None = None) -> Board:
    """Return the board of a ranked mode's current season, or of the season with this number.

    Raise Season.DoesNotExist.
    """
    if number is None:
        return board_of(_ranked_seasons().get(mode__slug=slug), region)
    board = board_of(seasons().get(mode__slug=slug, number=number), region)
    if not board.mode.ranked:
        raise Season.DoesNotExist
    return board


@cache
def _ranked_seasons() -> QuerySet[Season, Any]:
    """The current seasons of ranked modes. `get` and `filter` copy the query, which takes long to build anew."""
    return current_seasons().filter(mode__ranked=True)
