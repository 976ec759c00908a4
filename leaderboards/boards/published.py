"""Boards as published: ratings are read together with the newest snapshot of their mode.

The id of the newest snapshot comes in the same statement as the rows. So rows and rank table agree even if a
publication commits in between. A page that reads twice compares the ids, and starts again if they differ.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar

from django.db.models import OuterRef, QuerySet, Subquery

from ranking.database.microseconds import Microseconds, moment_at
from ranking.models import Mode, Season, Snapshot
from ranking.rules.rank_table import RankTable, top_percent
from ranking.rules.tiers import Tier
from ranking.standings.snapshots import find_newest, regions_of, table_at

T = TypeVar("T")
_TRIES = 4


class Superseded(Exception):
    """A publication was committed between two statements of one page."""


class SnapshotRead(Protocol):
    """A row that was read together with the newest snapshot of its mode."""

    @property
    def snapshot_id(self) -> int | None: ...
    @property
    def snapshot_taken_at(self) -> int | None: ...


class SnapshotColumns(TypedDict):
    """The annotations of `with_snapshot`; `snapshot_taken_at` is in microseconds since 1970."""

    snapshot_id: int | None
    snapshot_taken_at: int | None


class Standing(NamedTuple):
    """A player's place on the board; None for what the mode doesn't show. Small boards give no tiers."""

    rank: int
    listed: int
    percentile: int | None
    top_percent: int | None
    tier: Tier | None


@dataclass(frozen=True, slots=True)
class Published:
    """A board as it was published: `table` ranks everybody, `ranks` the players of this board (one region, or all)."""

    mode: Mode
    snapshot_id: int
    taken_at: dt.datetime
    table: RankTable
    ranks: RankTable
    ladder: tuple[Tier, ...]  # of percentiles 1 to 100

    @property
    def gives_tiers(self) -> bool:
        """True if enough players are listed for tiers, and the mode shows them."""
        return self.mode.gives_tiers(len(self.table))

    @property
    def snapshot(self) -> Snapshot:
        """Everybody's snapshot, without its table."""
        return Snapshot(pk=self.snapshot_id, mode=self.mode, taken_at=self.taken_at)

    def standing(self, hundredths: int) -> Standing:
        """Return the standing of a listed player with this published rating."""
        table = self.table
        return standing_in(
            self.mode, self.ladder, table.rank_of(hundredths), table.percentile_of(hundredths), len(table)
        )


def standing_in(mode: Mode, ladder: Sequence[Tier], rank: int, percentile: int, listed: int) -> Standing:
    """Return a place on a board as the mode shows it; `ladder`: the mode's tiers of the percentiles 1 to 100."""
    return Standing(
        rank=rank,
        listed=listed,
        percentile=percentile if mode.shows_percentile else None,
        top_percent=top_percent(rank, listed) if mode.shows_percentile else None,
        tier=ladder[percentile - 1] if mode.gives_tiers(listed) else None,
    )


def with_snapshot(
    ratings: QuerySet[Any, Any], region: object = "", *, mode: object = None, season: object = None
) -> QuerySet[Any, Any]:
    """Add the id and the moment (microseconds since 1970) of the newest snapshot of each rating's mode.

    `mode` and `season`: those of all ratings; then the snapshot is looked up once, and not for each row.
    `region`: adds `regional_id` as well, the region's snapshot of the same publication.
    """
    mode, season = mode or OuterRef("mode"), season or OuterRef("season")
    newest = newest_snapshots(mode, season)
    rows: QuerySet[Any, Any] = ratings.annotate(
        snapshot_id=Subquery(newest.values("id")[:1]),
        snapshot_taken_at=Subquery(newest.values(microseconds=Microseconds("taken_at"))[:1]),
    )
    regional = newest_snapshots(mode, season, region).values("id")[:1]
    return rows.annotate(regional_id=Subquery(regional)) if region else rows


def newest_snapshots(mode: Any, season: Any, region: Any = "") -> QuerySet[Snapshot, Snapshot]:
    """Snapshots of a mode and season, the newest first."""
    return Snapshot.objects.filter(mode=mode, season=season, region=region).order_by("-id")


def published_with(rating: SnapshotRead, mode: Mode, regional_id: int | None = None) -> Published | None:
    """Return the board that was in force when `with_snapshot` read a rating; raise Superseded."""
    return published_at(rating.snapshot_id, rating.snapshot_taken_at, mode, regional_id)


def published_at(
    snapshot_id: int | None, microseconds: int | None, mode: Mode, regional_id: int | None = None
) -> Published | None:
    """Return the board of a snapshot, None if there was no snapshot; raise Superseded."""
    if snapshot_id is None or microseconds is None:
        return None
    return published(mode, snapshot_id, moment_at(microseconds), regional_id)


def published(mode: Mode, snapshot_id: int, taken_at: dt.datetime, regional_id: int | None = None) -> Published:
    """Return the board of a snapshot, or of a region's snapshot of that moment; raise Superseded if one is deleted."""
    try:
        table = table_at(snapshot_id, taken_at, mode.pk)
        ranks = table if regional_id is None else table_at(regional_id, taken_at, mode.pk)
    except Snapshot.DoesNotExist as error:
        raise Superseded from error
    return Published(mode, snapshot_id, taken_at, table, ranks, mode.ladder)


def find_published(mode: Mode, season: Season, region: str = "") -> Published | None:
    """Return the board in force, for pages that read no rating; raise Superseded."""
    newest = find_newest(mode.pk, season.pk)
    if newest is None:
        return None
    whole = published(mode, newest.pk, newest.taken_at)
    if not region:
        return whole
    regional = regions_of(newest).get(region)
    if regional is None:
        return replace(whole, ranks=RankTable())
    return published(mode, newest.pk, newest.taken_at, regional.pk)


def find_regions(board: Published, home: str = "") -> list[str]:
    """Return the regions with listed players, `home` first, then by name; read once a publication."""
    return sorted(regions_of(board.snapshot), key=lambda region: (region != home, region))


def read_consistently(read: Callable[[], T]) -> T:
    """Return what `read` returns; call it again, four times at most, if it raises Superseded."""
    for _ in range(_TRIES - 1):
        try:
            return read()
        except Superseded:
            continue
    return read()
