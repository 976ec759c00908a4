"""Ties of many: three or more teams that share a place are rated as a group, in which their order doesn't matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

GROUP, CHAIN = "group", "chain"  # what the parameter `ties` may be
MANY = 3  # teams


def ties_many(places: Sequence[int]) -> bool:
    """True if three or more teams share a place."""
    return len(places) >= MANY and max(Counter(places).values()) >= MANY
