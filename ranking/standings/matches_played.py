"""Rank tables of those listed players who have completed so many matches of a season."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from django.core.cache import cache
from django.db.models import Case, Count, F, IntegerField, Value, When

from ranking.models import Rating, Season
from ranking.rules.rank_table import RankTable

LEAST_MATCHES = (10, 50, 200)
_KEPT = 600  # seconds: one query for each season counts all its listed rows


def tables_by_matches(season: Season) -> dict[int, RankTable]:
    """Return the table of published ratings for each of LEAST_MATCHES, at most ten minutes old.

    No query while it is kept, else one.
    """
    key = f"matches-played:{season.pk}:{season.mode.generation}"
    stored: dict[int, bytes] | None = cache.get(key)
    if stored is None:
        stored = {least: table.to_bytes() for least, table in _count(season).items()}
        cache.set(key, stored, _KEPT)
    return {least: _read(table) for least, table in stored.items()}


@lru_cache(maxsize=32)
def _read(stored: bytes) -> RankTable:
    """Return a table of the shared cache. Making it takes tens of milliseconds if there are very many ratings."""
    return RankTable.from_bytes(stored)


def _count(season: Season) -> dict[int, RankTable]:
    completed: object = F("wins") + F("draws") + F("losses")
    rows = Rating.objects.filter(mode=season.mode_id, season=season, listed=True).annotate(finished=completed)
    reached = [When(finished__gte=least, then=Value(least)) for least in reversed(LEAST_MATCHES)]
    rows = rows.annotate(least=Case(*reached, default=Value(0), output_field=IntegerField())).order_by()
    counts = {least: Counter[int]() for least in LEAST_MATCHES}
    grouped = rows.values_list("published_hundredths", "least").annotate(players=Count("pk"))
    for value, reached_least, players in grouped:
        for least in LEAST_MATCHES:
            if reached_least >= least:
                counts[least][value] += players
    return {least: RankTable(sorted(own.items())) for least, own in counts.items()}
