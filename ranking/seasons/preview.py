"""What the end of a mode's season will do, as the admin shows it before: champions, listed players, ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import Rating, Season
from ranking.modes.parameters import current_parameters, system_of
from ranking.rules.rank_table import RankTable
from ranking.seasons.reset_tables import count_reset
from ranking.standings.snapshots import newest_table
from ranking.systems.base import ResetRule

CHAMPIONS = 3
EARLY = 3  # matches in the next season
SHOWN = 10  # of the best and of the last
SAMPLE = 100_000  # ratings at most from which the distribution after the reset is drawn
ORDER = ("board_order", "published_reached_at", "id")


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """A listed player, with the published rating and the one after the reset, in hundredths."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class EndPreview:
    """`first` and `last`: the best and the last of the listed players; together nobody twice.

    `before` and `after`: the ratings of all listed players; `sample`: how many of them `after` was computed from.
    `needed`: the matches after which a player of this season is listed in the next one, placed and active.
    """

    season: Season
    before: RankTable
    after: RankTable
    sample: int
    needed: int
    first: Sequence[RatingPreview]
    last: Sequence[RatingPreview]

    @property
    def listed(self) -> int:
        return len(self.before)

    @property
    def listed_early(self) -> int:
        """How many of the players who are listed now would be listed after EARLY matches in the next season."""
        return self.listed if self.needed <= EARLY else 0

    @property
    def sampled(self) -> bool:
        return self.sample < self.listed

    @property
    def champions(self) -> str:
        return ", ".join(row.name for row in self.first[:CHAMPIONS])


def preview_end(season: Season, rule: ResetRule, *, sample: int = SAMPLE) -> EndPreview:
    """Preview the end of a running season under a rule, as boards are now. Six queries; memory is bounded."""
    before = newest_table(season.mode_id, season.pk) or RankTable()
    one_of = -(-len(before) // sample) or 1
    listed = Rating.objects.filter(mode=season.mode_id, season=season, listed=True).select_related("player")
    system = system_of(current_parameters(season.mode))

    def previews(ratings: Sequence[Rating]) -> list[RatingPreview]:
        resets = [system.reset(rating.state, rule).display_hundredths for rating in ratings]
        return [
            RatingPreview(rating.player.name, rating.published_hundredths or 0, display)
            for rating, display in zip(ratings, resets, strict=True)
        ]

    first = list(listed.order_by(*ORDER)[:SHOWN])
    lowest_first = listed.order_by("-board_order", "-published_reached_at", "-id")[:SHOWN]
    known = {rating.pk for rating in first}
    last = [rating for rating in lowest_first if rating.pk not in known][::-1]
    after = count_reset(season, system, rule, one_of=one_of)
    needed = max(season.mode.placement_of(not rule.starts_anew), season.mode.activity_matches)
    return EndPreview(season, before, after, len(after) // one_of, needed, previews(first), previews(last))
