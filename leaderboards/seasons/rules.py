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
        return gettext("Your rating stays as it was.")
    if rule.kind == HARD or rule.factor <= 0:
        return gettext("You begin anew, with a newcomer’s rating.")
    words = gettext("Your rating keeps %(percent)s %% of its distance from a newcomer’s rating.")
    return words % {"percent": f"{rule.factor * 100:.0f}"}
