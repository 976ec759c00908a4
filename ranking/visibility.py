"""What a mode shows of its players' standing, and to whom."""

import copy
from dataclasses import dataclass

from ranking.models import Mode


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
