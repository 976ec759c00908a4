"""A ranked mode's board, everyone's or a region's, and its rows in published order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import OuterRef, QuerySet, SlugField, Subquery

from leaderboards.display.numbers import rating_text
from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Mode, ParameterVersion, Season
from ranking.systems.registry import system_class

ORDER = ("board_order", "published_reached_at", "id")
_SEASON, _MODE = ([field.attname for field in model._meta.concrete_fields] for model in (Season, Mode))
_BOARD = len(_SEASON) + len(_MODE) + 1  # columns: those, and the system


@dataclass(frozen=True, slots=True)
class Board:
    """`decimals` are those of the ratings; `region` "" is everyone's board."""

    mode: Mode
    season: Season
    decimals: int
    region: str = ""

    @property
    def ledger(self) -> tuple[Mode, Season, int]:
        """Whose changes count: those of the mode in the season, of the generation that is read."""
        return self.mode, self.season, self.mode.generation

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
    return read_board(_board_of_slug().rows(slug=slug), slug, region)[0]


def read_board(rows: Sequence[Sequence[Any]], slug: str, region: str = "") -> tuple[Board, Sequence[Any]]:
    """The board of the rows of `prepare_board`, and what was selected with it; raises Season.DoesNotExist."""
    if not rows:
        raise Season.DoesNotExist(f"There is no ranked mode {slug!r}.")
    [row] = rows
    season = Season.from_db("default", _SEASON, row[: len(_SEASON)])
    season.mode = Mode.from_db("default", _MODE, row[len(_SEASON) : _BOARD - 1])
    return Board(season.mode, season, system_class(row[_BOARD - 1]).decimals, region), row[_BOARD:]


@cache
def _board_of_slug() -> Prepared:
    return prepare_board()


def prepare_board(**beside: Any) -> Prepared:
    """The query of the current board of the ranked mode with this `slug`, with expressions about its season."""
    found = current_seasons().filter(mode__slug=Placeholder("slug", SlugField()), mode__ranked=True).annotate(**beside)
    return prepare(found.values_list(*_SEASON, *(f"mode__{name}" for name in _MODE), "system", *beside))
