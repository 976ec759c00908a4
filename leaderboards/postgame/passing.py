"""Who passed whom in a match: its players compared by their ranks right before and right after it. No queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import Participation


@dataclass(frozen=True, slots=True)
class Passing:
    """How many of the match's players a player passed, and by how many they were passed."""

    passed: int
    passed_by: int


def passings_of(parts: Sequence[Participation]) -> dict[int, Passing]:
    """The passings by the player's id; players who weren't ranked both before and after the match are left out.

    Someone is passed if they were ahead before the match and are behind after it; equal ranks are neither.
    """
    ranks = {
        part.player_id: (part.rank_before, part.rank_after)
        for part in parts
        if part.rank_before is not None and part.rank_after is not None
    }
    return {
        player: Passing(
            passed=sum(other < before and other_after > after for other, other_after in ranks.values()),
            passed_by=sum(other > before and other_after < after for other, other_after in ranks.values()),
        )
        for player, (before, after) in ranks.items()
    }
