"""A player's conduct, for their own eyes and moderators'."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboards.decays import Decay, draw_decay
from ranking.gate import Bar, load_conduct
from ranking.models import Player, Sight

_NOTHING = 0.05  # points that would read 0.0


@dataclass(frozen=True, slots=True)
class OwnConduct:
    """`points` now, how many incidents they are of, and what keeps the player from queues (None: nothing)."""

    points: str
    leaves: int
    bar: Bar | None
    decay: Decay


def load_own_conduct(player: Player, sight: Sight, now: dt.datetime) -> OwnConduct | None:
    """None for others' eyes, and where there is nothing to tell: two queries."""
    if not sight.everything and sight.player_id != player.pk:
        return None
    conduct = load_conduct(player.pk, now)
    if conduct.points < _NOTHING and conduct.bar is None:
        return None
    return OwnConduct(f"{conduct.points:.1f}", len(conduct.lapses), conduct.bar, draw_decay(conduct.lapses, now))
