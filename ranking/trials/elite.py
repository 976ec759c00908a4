"""Proposes the elite band of two-layer, where gains shrink and losses grow, from the newest published snapshot."""

from __future__ import annotations

from typing import Any

from ranking.models import Mode, Season
from ranking.modes.parameters import current_parameters, system_of
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import newest_table

SYSTEM = "two-layer"
FROM, TO = 0.97, 0.995  # percentiles
NEEDED = 500  # listed players
ROUNDED_TO = 10  # points


def propose_elite_band(mode: Mode) -> dict[str, Any] | None:
    """The band as JSON, with today's; None if the mode isn't rated by two-layer or lists too few players."""
    version = current_parameters(mode)
    season = Season.objects.filter(mode=mode, current=True).first()
    table = newest_table(mode.pk, season.pk) if season else None
    if version.system != SYSTEM or table is None or len(table) < NEEDED:
        return None
    system: Any = system_of(version)
    low, high = (ROUNDED_TO * round(_value_at(table, share) / 100 / ROUNDED_TO) for share in (FROM, TO))
    return {
        "listed": len(table),
        "today": {"elite_from": system.elite_from, "elite_to": system.elite_to},
        "params": {"elite_from": float(low), "elite_to": float(max(high, low + ROUNDED_TO))},
    }


def _value_at(table: RankTable, share: float) -> int:
    """The lowest display rating, in hundredths, that at least this share of the listed players don't exceed."""
    reached = 0
    for value, count in table.rows():
        reached += count
        if reached >= share * len(table):
            return value
    raise ValueError("An empty table has no percentiles.")
