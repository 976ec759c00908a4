"""A match that was never reported, as a fact about one of its players. From the conduct rules. Pure."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnreportedMatch:
    """A match without a result, whose server fell silent at `silent_at` while the player (an id) was behind.

    `lobby` and `server`: their names. `score`: of the player's team; `best`: of the team that led.
    """

    player: int
    lobby: str
    server: str
    score: float
    best: float
    silent_at: dt.datetime
