"""Counts the published rows of a season into rank tables, everyone's and one for each region."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Count

from ranking.database.arrays import INTEGER, read_columns_by
from ranking.models import Rating, Season, Snapshot
from ranking.rules.table_columns import TableColumns

Tables = dict[str, TableColumns]  # by region; "" for players without one
SHOWN = ("listed", "region", "published_hundredths")  # the fields that rank tables are made of


def count_tables(season: Season) -> Tables:
    """Rank tables of the published rows: everyone's first, under "", then one for each region with players."""
    _count_in_memory()
    listed = Rating.objects.filter(mode=season.mode_id, season=season, listed=True)
    counts = listed.values("region", "published_hundredths").annotate(players=Count("*"))
    columns = read_columns_by(counts, "region", published_hundredths=INTEGER, players=INTEGER)
    return _with_everyones({region: TableColumns.counted(*read.values()) for region, read in columns.items()})


def tables_of(shown: Iterable[Sequence[Any]]) -> Tables:
    """Rank tables of rows that are given as the values of SHOWN: one for each region, and of those without one."""
    regions = defaultdict(list)
    for listed, region, hundredths in shown:
        if listed:
            regions[region].append(hundredths)
    return {region: TableColumns.counted(values, np.ones(len(values))) for region, values in regions.items()}


def newest_tables(season: Season) -> Tables | None:
    """The rank tables of the newest publication, as `count_tables` gives them; None before the first one."""
    snapshots = Snapshot.objects.filter(mode=season.mode_id, season=season)
    newest = snapshots.filter(region="").order_by("-id").values("taken_at", "id")[:1]
    if not newest:
        return None
    own = snapshots.filter(taken_at=newest[0]["taken_at"], pk__gte=newest[0]["id"]).order_by("region")
    stored = dict(own.values_list("region", "table"))
    with ThreadPoolExecutor() as threads:
        return dict(zip(stored, threads.map(TableColumns.from_bytes, stored.values()), strict=True))


def stored_tables(tables: Tables) -> dict[str, bytes]:
    """The stored forms of tables. Threads compress them at the same time, as rows are locked meanwhile."""
    with ThreadPoolExecutor() as threads:
        return dict(zip(tables, threads.map(TableColumns.to_bytes, tables.values()), strict=True))


def moved_tables(tables: Mapping[str, TableColumns], before: Tables, after: Tables) -> Tables:
    """What becomes of a season's tables if listed players `before` become these `after`, both counted by region.

    Raises ValueError if the players aren't in the tables.
    """
    nobody = TableColumns.counted([], [])
    parts: Tables = {}
    for region in sorted((tables.keys() | before.keys() | after.keys()) - {""}):
        own = (table.get(region, nobody) for table in (tables, before, after))
        parts[region] = _moved(*own)
    everyone = _moved(tables[""], TableColumns.joined(before.values()), TableColumns.joined(after.values()))
    return {"": everyone, **{region: table for region, table in parts.items() if len(table)}}


def _moved(table: TableColumns, before: TableColumns, after: TableColumns) -> TableColumns:
    return table.moved(before, after) if len(before) or len(after) else table


def _with_everyones(regions: Tables) -> Tables:
    named = {region: regions[region] for region in sorted(regions) if region}
    return {"": TableColumns.joined(regions.values()), **named}


def _count_in_memory() -> None:
    """Let PostgreSQL aggregate by hash in this transaction, so that it doesn't sort every player."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('work_mem', '64MB', true)")
