"""Archived seasons: what their boards show, and the checksum of their ratings, which nobody may change."""

from __future__ import annotations

import copy
import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import BigIntegerField, Count, F, Sum, Value
from django.db.models.functions import Cast, Coalesce

from ranking.database.microseconds import Microseconds
from ranking.models import Mode, ParameterVersion, Rating, Season
from ranking.seasons.match_counts import MATCHES, count_matches

# The settings of a mode that an archived season's boards keep, whatever the mode has now.
KEPT = (
    "ranked", "shows_rating", "shows_percentile", "shows_tier", "tier_scheme", "tier_least_listed", "named_tiers",
    "placement_matches", "placement_after_reset", "activity_matches", "activity_days",
)  # fmt: skip
# What a rating of an archived season keeps, beside its region and whether it is listed.
FROZEN = (
    F("player_id"), F("published_hundredths"), Microseconds("published_reached_at"), F("wins"), F("draws"),
    F("losses"), F("leaves"), F("podiums"), F("top_halves"), F("place_sum"),
)  # fmt: skip
_PRIME = 2**31 - 1  # so that products are below 2**62, and sums over any number of rows fit 64 bits
_FACTORS = (48_271, 1_812_433_253)


def shown_of(mode: Mode, parameters: ParameterVersion) -> dict[str, object]:
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
    """The checksum of a season's ratings; see `checksums_of`."""
    return checksums_of([season])[season.pk]


def checksums_of(seasons: Iterable[Season]) -> dict[int, str]:
    """The checksums of these seasons' ratings, by season: the same on both databases. One query.

    A rating's numbers are the digits of one number, to the base of a factor, modulo a prime. The sum of these, each
    times a number by the rating's id, changes if a rating does: of 2**62 accidents one goes unnoticed. The checksum is
    the SHA-256 of these sums, by region and listing.
    """
    seasons = list(seasons)
    sums = {f"sum_{factor}": Sum(_mixed(factor)) for factor in _FACTORS}
    rows = Rating.objects.filter(season__in=seasons).order_by().values_list("season", "region", "listed")
    found: dict[int, list[tuple[str, bool, list[int]]]] = defaultdict(list)
    for season, region, listed, *numbers in rows.annotate(rows=Count("pk"), **sums):
        found[season].append((region, listed, [int(number) for number in numbers]))
    return {season.pk: hashlib.sha256(repr(sorted(found[season.pk])).encode()).hexdigest() for season in seasons}


def _mixed(factor: int) -> Any:
    """A rating's numbers as one, in SQL; None counts as −1."""
    mixed: Any = Value(1, BigIntegerField())
    for number in FROZEN:
        mixed = (mixed * factor + Coalesce(Cast(number, BigIntegerField()), -1)) % _PRIME
    return mixed * (Cast("id", BigIntegerField()) % _PRIME * factor % _PRIME) % _PRIME


def seal(season: Season) -> None:
    """Store the checksum of an archived season, and the number of its matches."""
    unsealed = Season.objects.filter(pk=season.pk, state=Season.ARCHIVED, checksum="")
    shown = {**(season.shown or {}), MATCHES: count_matches(season)}
    unsealed.update(checksum=checksum_of(season), shown=shown)
