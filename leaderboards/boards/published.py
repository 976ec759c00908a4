"""Standing as published: ratings read together with the snapshot that was in force at that instant.

The newest snapshot's id comes in the same statement as the rows, so that rows and rank table agree even
where a publication commits in between; whoever reads twice compares the ids and starts again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from django.db.models import OuterRef, QuerySet, Subquery

from leaderboards.boards.microseconds import Microseconds
from leaderboards.boards.positions import moment_at
from ranking.models import Mode, Season, Snapshot
from ranking.rules.rank_table import RankTable, top_percent
from ranking.rules.tiers import Tier
from ranking.standings.snapshots import find_newest, regions_of, table_at

T = TypeVar("T")
_TRIES = 4


class Superseded(Exception):
    """A publication came in between."""


class Standing(NamedTuple):
    """Where somebody stands; None where their mode doesn't show it."""

    rank: int
    listed: int
    percentile: int | None
    top_percent: int | None
    tier: Tier | None


@dataclass(frozen=True, slots=True)
class Published:
    """A board as it was published. Standing comes from everyone's `table`, the order on this board from `ranks`."""

    mode: Mode
    snapshot_id: int
    taken_at: dt.datetime
    table: RankTable
    ranks: RankTable
    ladder: tuple[Tier, ...]  # of percentiles 1 to 100

    @property
    def snapshot(self) -> Snapshot:
        """Everyone's, without its table."""
        return Snapshot(pk=self.snapshot_id, mode=self.mode, taken_at=self.taken_at)

    def standing(self, hundredths: int) -> Standing:
        """Of somebody on the board."""
        rank, percentile, listed = self.table.rank_of(hundredths), self.table.percentile_of(hundredths), len(self.table)
        return Standing(
            rank=rank,
            listed=listed,
            percentile=percentile if self.mode.shows_percentile else None,
            top_percent=top_percent(rank, listed) if self.mode.shows_percentile else None,
            tier=self.ladder[percentile - 1] if self.mode.shows_tier else None,
        )


def with_snapshot(
    ratings: QuerySet[Any, Any], region: Any = "", *, mode: Any = None, season: Any = None
) -> QuerySet[Any, Any]:
    """These ratings with `snapshot_id` and `snapshot_taken_at` (microseconds since 1970) of the newest snapshot
    of their mode.

    On a region's board with `regional_id`, its snapshot of the same publication. Where all are of one mode and season,
    told here, the snapshot is looked up once and not for every row.
    """
    mode, season = mode or OuterRef("mode"), season or OuterRef("season")
    found: QuerySet[Any, Any] = ratings.annotate(**newest_snapshot(mode, season))
    regional = _newest(mode, season, region).values("id")[:1]
    return found.annotate(regional_id=Subquery(regional)) if region else found


def newest_snapshot(mode: Any, season: Any) -> dict[str, Subquery]:
    """What selects `snapshot_id` and `snapshot_taken_at` (microseconds since 1970) of everyone's newest snapshot."""
    newest = _newest(mode, season, "")
    return {
        "snapshot_id": Subquery(newest.values("id")[:1]),
        "snapshot_taken_at": Subquery(newest.values(moment=Microseconds("taken_at"))[:1]),
    }


def _newest(mode: Any, season: Any, region: Any) -> QuerySet[Snapshot, Snapshot]:
    return Snapshot.objects.filter(mode=mode, season=season, region=region).order_by("-id")


def published_with(rating: Any, mode: Mode) -> Published | None:
    """The board that was in force when a rating was read by `with_snapshot`; raises Superseded."""
    return published_at(rating.snapshot_id, rating.snapshot_taken_at, mode, getattr(rating, "regional_id", None))


def published_at(
    snapshot_id: int | None, microseconds: int | None, mode: Mode, regional_id: int | None = None
) -> Published | None:
    """The board of a snapshot taken so long after 1970 began, if there was one; raises Superseded."""
    if snapshot_id is None or microseconds is None:
        return None
    return published(mode, snapshot_id, moment_at(microseconds), regional_id)


def published(mode: Mode, snapshot_id: int, taken_at: dt.datetime, regional_id: int | None = None) -> Published:
    """The board of a snapshot, or of a region's of the same moment; raises Superseded where it is gone already."""
    try:
        table = table_at(snapshot_id, taken_at, mode.pk)
        ranks = table if regional_id is None else table_at(regional_id, taken_at, mode.pk)
    except Snapshot.DoesNotExist as error:
        raise Superseded from error
    return Published(mode, snapshot_id, taken_at, table, ranks, mode.ladder)


def find_published(mode: Mode, season: Season, region: str = "") -> Published | None:
    """The board in force, for where there is no row to tell; raises Superseded."""
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


def find_regions(shown: Published) -> list[str]:
    """The regions that anybody is listed in, by name; read once a publication."""
    return list(regions_of(shown.snapshot))


def read_consistently(read: Callable[[], T]) -> T:
    """What `read` gives, tried again where a publication came in between."""
    for _ in range(_TRIES - 1):
        try:
            return read()
        except Superseded:
            continue
    return read()
