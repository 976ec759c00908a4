"""A player's conduct, for their own eyes and moderators'."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboards.display.decay import Decay, draw_decay
from ranking.models import Player, Sight
from ranking.moderation.eligibility import Bar, load_conduct

_NOTHING = 0.05  # points that would read 0.0


@dataclass(frozen=True, slots=True)
class OwnConduct:
    """`points` now, and what keeps the player from queues (None: nothing); `decay` None where nothing counts."""

    points: str
    bar: Bar | None
    decay: Decay | None


def load_own_conduct(player: Player, sight: Sight, now: dt.datetime) -> OwnConduct | None:
    """None for others' eyes, and where there is nothing to tell: two queries."""
    if not sight.everything and sight.player_id != player.pk:
        return None
    conduct = load_conduct(player.pk, now)
    if conduct.points < _NOTHING and conduct.bar is None:
        return None
    decay = draw_decay(conduct.lapses, now) if conduct.lapses else None
    return OwnConduct(f"{conduct.points:.1f}", conduct.bar, decay)
