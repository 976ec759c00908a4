"""How long a wait is likely to last, from those of tickets like it. Pure; matchmaking rules, "Estimates"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 5  # waits that say anything


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds: half waited at most `typical`, the middle eight of ten `low` to `high`; from `of` tickets."""

    typical: int
    low: int
    high: int
    of: int


def estimate(waits: Sequence[float]) -> Estimate | None:
    """What these waits, in seconds, tell about the next; None where they are too few."""
    if len(waits) < FEWEST:
        return None
    line = sorted(waits)

    def at(share: float) -> int:
        """By linear interpolation between neighbours."""
        place = share * (len(line) - 1)
        before = int(place)
        after = min(before + 1, len(line) - 1)
        return round(line[before] + (line[after] - line[before]) * (place - before))

    return Estimate(typical=at(0.5), low=at(0.1), high=at(0.9), of=len(line))
