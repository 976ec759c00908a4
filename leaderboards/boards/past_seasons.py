"""The seasons of a mode, newest first: their dates, champions, players and matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Subquery, Window
from django.db.models.functions import RowNumber

from leaderboards.boards.boards import ORDER, Board, board_of
from leaderboards.boards.boards import seasons as read_seasons
from ranking.models import Mode, Rating, Season, Snapshot
from ranking.seasons.match_counts import count_matches
from ranking.seasons.strikes import strike_in_force

PAGE = 20  # seasons on a page
CHAMPIONS = 3


@dataclass(frozen=True, slots=True)
class Champion:
    """One of the best of an archived season. `name` is empty if the player is hidden or has left for good.

    `struck`: a moderator struck them from the season; the rank stays theirs.
    """

    rank: int
    name: str
    key: str
    rating: str
    struck: bool


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A season as the list shows it; only an archived one has champions."""

    board: Board
    season: Season
    listed: int
    matches: int
    champions: Sequence[Champion]


@dataclass(frozen=True, slots=True)
class SeasonsPage:
    """`before`: the number before which the next page begins; None on the last page."""

    lines: Sequence[SeasonLine]
    before: int | None


def load_seasons(mode: Mode, *, before: int | None = None) -> SeasonsPage:
    """Return a page of the mode's seasons: five queries at most, however many seasons there are."""
    listed = Snapshot.objects.filter(season=OuterRef("pk"), region="").order_by("-id").values("listed")[:1]
    rows: Any = read_seasons().filter(mode=mode).annotate(listed=Subquery(listed)).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    seasons = list(rows[: PAGE + 1])
    page = seasons[:PAGE]
    champions = _champions([season for season in page if not season.current])
    lines = [_line(season, count_matches(season), champions.get(season.pk, ())) for season in page]
    return SeasonsPage(lines, page[-1].number if len(seasons) > PAGE else None)


def _champions(seasons: Sequence[Season]) -> dict[int, list[Rating]]:
    """The best ratings of archived seasons, in the order of their boards, by season; with `struck`."""
    place = Window(RowNumber(), partition_by=["season"], order_by=[F(name) for name in ORDER])
    best = Rating.objects.filter(season__in=seasons, listed=True).annotate(place=place).filter(place__lte=CHAMPIONS)
    best = best.annotate(struck=Exists(strike_in_force()))
    champions: dict[int, list[Rating]] = {}
    for rating in best.select_related("player").order_by("season", "place"):
        champions.setdefault(rating.season_id, []).append(rating)
    return champions


def _line(season: Any, matches: int, best: Sequence[Any]) -> SeasonLine:
    board = board_of(season)
    return SeasonLine(board, season, season.listed or 0, matches, champions_of(board, best))


def champions_of(board: Board, best: Sequence[Any]) -> list[Champion]:
    """Return the champions; `best`: the best ratings of an archived board, in its order, with players and `struck`."""
    values = [rating.published_hundredths or 0 for rating in best]
    return [
        Champion(
            1 + sum(other > value for other in values),
            "" if rating.player.hidden_at is not None else rating.player.name,
            rating.player.key,
            board.rating_text(value),
            rating.struck,
        )
        for rating, value in zip(best, values, strict=True)
    ]
