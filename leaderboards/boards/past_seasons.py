"""The seasons of a mode, newest first: their dates, champions, players and matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from leaderboards.boards.boards import ORDER, Board, board_of
from leaderboards.boards.boards import seasons as read_seasons
from ranking.models import Mode, Rating, Season, Snapshot
from ranking.seasons.match_counts import count_matches
from ranking.seasons.strikes import strike_in_force

PAGE = 20  # seasons on a page
CHAMPIONS = 3


@dataclass(frozen=True, slots=True)
class Champion:
    """One of the best of a season. `name` is empty if the player is hidden or has left for good.

    `key` and `avatar`: those of the player. `struck`: a moderator struck them from the season; the rank stays theirs.
    """

    rank: int
    name: str
    key: str
    avatar: str
    rating: str
    struck: bool


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A season as the list shows it: an archived one with its champions, one that runs with those who lead it now."""

    board: Board
    season: Season
    listed: int
    matches: int
    champions: Sequence[Champion]
    leaders: Sequence[Champion]


@dataclass(frozen=True, slots=True)
class SeasonsPage:
    """`before`: the number before which the next page begins; None on the last page."""

    lines: Sequence[SeasonLine]
    before: int | None


def load_seasons(mode: Mode, *, before: int | None = None) -> SeasonsPage:
    """Return a page of the mode's seasons: four queries at most, however many seasons there are."""
    listed = Snapshot.objects.filter(season=OuterRef("pk"), region="").order_by("-id").values("listed")[:1]
    rows = with_best(read_seasons().filter(mode=mode).annotate(listed=Subquery(listed)).order_by("-number"))
    if before is not None:
        rows = rows.filter(number__lt=before)
    seasons = list(rows[: PAGE + 1])
    page = seasons[:PAGE]
    best = read_best(page)
    lines = [_line(season, count_matches(season), best.get(season.pk, ())) for season in page]
    return SeasonsPage(lines, page[-1].number if len(seasons) > PAGE else None)


def with_best(seasons: QuerySet[Season, Any]) -> QuerySet[Season, Any]:
    """Add to seasons the ids of their best ratings, which `read_best` reads."""
    rows = Rating.objects.filter(mode=OuterRef("mode"), season=OuterRef("pk"), listed=True).order_by(*ORDER)
    places = {f"best_{place}": Subquery(rows.values("pk")[place : place + 1]) for place in range(CHAMPIONS)}
    return seasons.annotate(**places)


def read_best(seasons: Sequence[object]) -> dict[int, list[object]]:
    """Return the best ratings of these seasons, with players and `struck`, in the order of boards, by season.

    One query.
    """
    wanted = [pk for season in seasons for place in range(CHAMPIONS) if (pk := getattr(season, f"best_{place}"))]
    ratings = Rating.objects.filter(pk__in=wanted).select_related("player").annotate(struck=Exists(strike_in_force()))
    best: dict[int, list[Any]] = {}
    for rating in ratings.order_by(*ORDER):
        best.setdefault(rating.season_id, []).append(rating)
    return best


def _line(season: Any, matches: int, best: Sequence[Any]) -> SeasonLine:
    board = board_of(season)
    shown = champions_of(board, best)
    return SeasonLine(
        board, season, season.listed or 0, matches, shown if board.over else (), () if board.over else shown
    )


def champions_of(board: Board, best: Sequence[Any]) -> list[Champion]:
    """Return the champions; `best`: the best ratings of an archived board, in its order, with players and `struck`."""
    values = [rating.published_hundredths or 0 for rating in best]
    return [
        Champion(
            1 + sum(other > value for other in values),
            "" if rating.player.hidden_at is not None else rating.player.name,
            rating.player.key,
            rating.player.avatar,
            board.rating_text(value),
            rating.struck,
        )
        for rating, value in zip(best, values, strict=True)
    ]
