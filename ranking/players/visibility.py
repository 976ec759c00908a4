"""What a mode shows of its players' standing, what players show of their matches, and to whom."""

import copy
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied

from ranking.models import Mode, Player, Sight


@dataclass(frozen=True, slots=True)
class Shown:
    rating: bool
    rank: bool
    percentile: bool
    tier: bool


def shown(mode: Mode) -> Shown:
    """What everybody may see."""
    return Shown(
        rating=mode.ranked and mode.shows_rating,
        rank=mode.ranked,
        percentile=mode.ranked and mode.shows_percentile,
        tier=mode.ranked and mode.shows_tier,
    )


def revealed(mode: Mode) -> Mode:
    """The mode as somebody sees it who may see everything; never to be saved."""
    whole = copy.copy(mode)
    whole.ranked = whole.shows_rating = whole.shows_percentile = whole.shows_tier = True
    return whole


class MatchesHidden(PermissionDenied):
    """Somebody asks for the matches of a player who hides them; 403, with a message for the one who asked."""


def check_shows_matches(player: Player, sight: Sight) -> None:
    """Refuse a list of matches or a history that isn't to be seen; raises MatchesHidden."""
    if not player.shows_matches_to(sight):
        raise MatchesHidden(f"{player.name} hides their matches.")
