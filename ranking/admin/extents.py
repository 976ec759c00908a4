"""What voiding or restoring matches leads to, as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.models import Match
from ranking.moderation.voids import COUNTED, Extent, find_extents


def sentence_of(verb: str, matches: Sequence[Match]) -> str:
    """What follows from voiding or restoring them."""
    if len(matches) == 1:
        what = "It counts for nothing" if verb == "Void" else "It counts again, in its old place"
    else:
        what = "They count for nothing" if verb == "Void" else "They count again, in their old places"
    extents = " ".join(_extent(extent) for extent in find_extents(matches))
    return f"{what}. {extents} The site goes on meanwhile; it can be undone."


def _extent(extent: Extent) -> str:
    if extent.matches is None:
        return f"In {extent.mode.name}, all from the first of them on is rated anew: more than {COUNTED:,} matches."
    if not extent.matches:
        return f"In {extent.mode.name}, no rating has to change: none of them is rated yet."
    plural = "es" if extent.matches != 1 else ""
    return (
        f"In {extent.mode.name}, the {extent.matches:,} match{plural} from the first of them on are rated anew:"
        f" the ratings of {extent.players:,} players."
    )
