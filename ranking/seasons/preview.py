"""What the end of a mode's season will do, as the admin shows it before: champions, listed players, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import Rating, Season
from ranking.modes.parameters import current_parameters, system_of
from ranking.standings.snapshots import find_newest
from ranking.systems.base import ResetRule

CHAMPIONS = 3
SHOWN = 10  # of the best and of the last
ORDER = ("board_order", "published_reached_at", "id")


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """A listed player, with the published rating and the one after the reset, in hundredths."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class EndPreview:
    """`first` and `last`: the best and the last of the listed players; together nobody twice."""

    season: Season
    listed: int
    first: Sequence[RatingPreview]
    last: Sequence[RatingPreview]

    @property
    def champions(self) -> str:
        return ", ".join(row.name for row in self.first[:CHAMPIONS])


def preview_end(season: Season, rule: ResetRule) -> EndPreview:
    """Preview the end of a running season under a rule, as boards are now. Five queries."""
    newest = find_newest(season.mode_id, season.pk)
    listed = Rating.objects.filter(mode=season.mode_id, season=season, listed=True).select_related("player")
    system = system_of(current_parameters(season.mode))

    def previews(ratings: Sequence[Rating]) -> list[RatingPreview]:
        after = [system.reset(rating.state, rule).display_hundredths for rating in ratings]
        return [
            RatingPreview(rating.player.name, rating.published_hundredths or 0, display)
            for rating, display in zip(ratings, after, strict=True)
        ]

    first = list(listed.order_by(*ORDER)[:SHOWN])
    lowest_first = listed.order_by("-board_order", "-published_reached_at", "-id")[:SHOWN]
    known = {rating.pk for rating in first}
    last = [rating for rating in lowest_first if rating.pk not in known][::-1]
    return EndPreview(season, newest.listed if newest else 0, previews(first), previews(last))
