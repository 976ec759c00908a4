"""Draws a player's crest from their key: a shield with a division and a charge. The same key always has the same crest.

The shield's shape and colours are CSS (static/css/parts.css), so a crest is two short paths in the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

WIDTH, HEIGHT = 20, 24
HUES = 16
# What covers a part of the shield in the second colour.
DIVISIONS = (
    "M10 0h10v24H10z",  # per pale
    "M0 0h20v10H0z",  # chief
    "M0 14h20v10H0z",  # base
    "M0 0h20L0 22z",  # per bend
    "M0 0l20 22V0z",  # per bend sinister
    "M7 0h6v24H7z",  # pale
    "M0 8h20v6H0z",  # fess
    "M0 0h5l15 16v8h-1L0 5z",  # bend
    "M20 0h-5L0 16v8h1L20 5z",  # bend sinister
    "M0 18L10 8l10 10v6L10 15 0 24z",  # chevron
    "M0 0h20L10 18z",  # pile
    "M0 0h10v11H0zM10 11h10v13H10z",  # quarterly
    "M0 0h4v24H0zM8 0h4v24H8zM16 0h4v24h-4z",  # paly
    "M0 0h20v4H0zM0 9h20v4H0zM0 18h20v4H0z",  # barry
)
# What stands in the middle of the shield.
CHARGES = (
    "M10 5l1.8 4.4 4.7.4-3.6 3.1 1.1 4.6-4-2.5-4 2.5 1.1-4.6L3.5 9.8l4.7-.4z",  # star
    "M10 4.5l5 6.5-5 6.5L5 11z",  # lozenge
    "M5 11a5 5 0 1010 0 5 5 0 10-10 0z",  # roundel
    "M12.5 5.5a6 6 0 100 11 4.6 4.6 0 010-11z",  # crescent
    "M4.5 15.5V7l3 3L10 5.5l2.5 4.5 3-3v8.5z",  # crown
    "M11.5 4l-6 8.5h4L8.5 18l6-8.5h-4z",  # bolt
    "M8.2 5h3.6v4.2H16v3.6h-4.2V17H8.2v-4.2H4V9.2h4.2z",  # cross
    "M5 6h2v3h6V6h2v11h-2v-3H7v3H5zM7 11v1h6v-1z",  # ladder
    "M10 17c-7-4.5-6-10.5-2.5-10.5C9 6.5 10 8 10 8s1-1.5 2.5-1.5C16 6.5 17 12.5 10 17z",  # heart
    "M10 4.5L16 16H4z",  # mountain
    "M10 4l5 4v5.5L10 18l-5-4.5V8z",  # gem
    "M6 5h8l-2 5.5 2 6H6l2-6z",  # tower
    "M4 8.5l6-3.5 6 3.5v3l-6-3.5-6 3.5zM4 14l6-3.5 6 3.5v3l-6-3.5L4 17z",  # wings
    "M10 4.5c3 3 5 5 5 8a5 5 0 01-10 0c0-3 2-5 5-8z",  # drop
)


@dataclass(frozen=True, slots=True)
class Crest:
    """`hue`: 0 to HUES − 1, which CSS turns into colours; `division` and `charge`: paths, WIDTH × HEIGHT large."""

    hue: int
    division: str
    charge: str


@lru_cache(maxsize=4096)
def crest_of(key: str) -> Crest:
    """Return the crest of a player's key."""
    digest = blake2b(key.encode(), digest_size=3, person=b"rungs crest").digest()
    return Crest(digest[0] % HUES, DIVISIONS[digest[1] % len(DIVISIONS)], CHARGES[digest[2] % len(CHARGES)])
