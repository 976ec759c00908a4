"""What the seasons of each ranked mode do, in the words of players."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.boards.boards import current_seasons
from ranking.models import Mode, Season
from ranking.systems.base import HARD, KEEP, ResetRule
from ranking.wording.translation import gettext


@dataclass(frozen=True, slots=True)
class SeasonRules:
    """A ranked mode with its current season; `reset`: what becomes of ratings afterwards, in a sentence.

    `placement`: the matches that place a player who returns.
    """

    mode: Mode
    season: Season
    reset: str
    placement: int

    @property
    def end(self) -> tuple[str, int]:
        """What the end does, to see whether it does the same in several modes; no placement is 0."""
        return self.reset, self.placement if self.mode.placement_matches else 0


def load_season_rules() -> list[SeasonRules]:
    """Return the rules of each ranked mode, by name: one query."""
    seasons = [season for season in current_seasons() if season.mode.ranked]
    return [
        SeasonRules(season.mode, season, reset_words(season.rule), season.mode.placement_of(season.reset != HARD))
        for season in seasons
    ]


def reset_words(rule: ResetRule) -> str:
    """Return what a reset does to a rating, in a sentence."""
    if rule.kind == KEEP or rule.factor >= 1:
        return gettext("At the end, ratings stay as they are.")
    if rule.kind == HARD or rule.factor <= 0:
        return gettext("At the end, everybody goes back to the start.")
    if rule.factor == 0.5:
        return gettext("At the end, ratings move halfway back to the start.")
    words = gettext("At the end, ratings move %(percent)s %% of the way back to the start.")
    return words % {"percent": f"{100 - rule.factor * 100:.0f}"}
