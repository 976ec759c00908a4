"""Archived seasons: what their boards show, and the checksum of their ratings, which nobody may change."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

from ranking.models import Mode, ParameterVersion, Rating, Season
from ranking.seasons.match_counts import MATCHES, count_matches

# The settings of a mode that an archived season's boards keep, whatever the mode has now.
KEPT = (
    "ranked", "shows_rating", "shows_percentile", "shows_tier", "tier_scheme", "tier_least_listed", "named_tiers",
    "placement_matches", "placement_after_reset", "activity_matches", "activity_days",
)  # fmt: skip
# What a rating of an archived season keeps.
FROZEN = (
    "id", "player_id", "region", "listed", "published_hundredths", "published_reached_at", "wins", "draws", "losses",
    "leaves", "podiums", "top_halves", "place_sum",
)  # fmt: skip
_CHUNK = 10_000  # rows read at once


def shown_of(mode: Mode, parameters: ParameterVersion) -> dict[str, Any]:
    """What `Season.shown` keeps of a mode whose season ends."""
    return {"system": parameters.system, **{name: getattr(mode, name) for name in KEPT}}


def mode_of(season: Season) -> Mode:
    """The season's mode, with the settings that its boards show; a copy if the season is archived."""
    if season.shown is None:
        return season.mode
    mode = copy.copy(season.mode)
    for name in KEPT:
        if name in season.shown:
            setattr(mode, name, season.shown[name])
    return mode


def system_in(season: Season) -> str:
    """The key of the system that rated an archived season; "" if the season isn't archived."""
    return "" if season.shown is None else str(season.shown.get("system", ""))


def checksum_of(season: Season) -> str:
    """SHA-256 of the season's ratings, in the order of their ids; memory doesn't grow with them."""
    digest = hashlib.sha256()
    rows = Rating.objects.filter(season=season).order_by("id").values_list(*FROZEN)
    for row in rows.iterator(chunk_size=_CHUNK):
        digest.update(repr([value if value is None else str(value) for value in row]).encode())
    return digest.hexdigest()


def seal(season: Season) -> None:
    """Store the checksum of an archived season, and the number of its matches."""
    unsealed = Season.objects.filter(pk=season.pk, state=Season.ARCHIVED, checksum="")
    shown = {**(season.shown or {}), MATCHES: count_matches(season)}
    unsealed.update(checksum=checksum_of(season), shown=shown)
