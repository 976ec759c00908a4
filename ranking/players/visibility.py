"""Visibility: what a mode shows about players' standings, and who may see a player's matches."""

import copy
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied

from ranking.models import Mode, Player, ReadAccess


@dataclass(frozen=True, slots=True)
class Shown:
    """Which parts of a standing a mode shows."""

    rating: bool
    rank: bool
    percentile: bool
    tier: bool


def shown(mode: Mode) -> Shown:
    """Return what everybody may see of standings in a mode."""
    return Shown(
        rating=mode.ranked and mode.shows_rating,
        rank=mode.ranked,
        percentile=mode.ranked and mode.shows_percentile,
        tier=mode.ranked and mode.shows_tier,
    )


def revealed(mode: Mode) -> Mode:
    """Return a copy of the mode that shows everything, for viewers who may see everything. Never save it."""
    copied = copy.copy(mode)
    copied.ranked = copied.shows_rating = copied.shows_percentile = copied.shows_tier = True
    return copied


class MatchesHidden(PermissionDenied):
    """The player hides their matches: 403, with a message for the viewer."""

    code = "hidden"


def check_shows_matches(player: Player, access: ReadAccess) -> None:
    """Raise MatchesHidden if the viewer may not see the player's matches and history."""
    if not player.shows_matches_to(access):
        raise MatchesHidden(f"{player.name} hides their matches.")
