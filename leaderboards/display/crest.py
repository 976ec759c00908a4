"""Draws a player's crest from their key: a shield with a division and a charge. The same key always has the same crest.

Shapes lie in static/crests.svg, colours in static/css/parts.css, so a crest is a few classes in the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

HUES, DIVISIONS, CHARGES = 16, 14, 14


@dataclass(frozen=True, slots=True)
class Crest:
    """The numbers of the hue, of the division that covers a part of the shield, and of the charge in its middle.

    Each counts from 0.
    """

    hue: int
    division: int
    charge: int


@lru_cache(maxsize=4096)
def crest_of(key: str) -> Crest:
    """Return the crest of a player's key."""
    digest = blake2b(key.encode(), digest_size=3, person=b"rungs crest").digest()
    return Crest(digest[0] % HUES, digest[1] % DIVISIONS, digest[2] % CHARGES)
