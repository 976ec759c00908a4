"""Standing as published: ratings read together with the snapshot that was in force at that instant.

The newest snapshot's id comes in the same statement as the rows, so that rows and rank table agree even
where a publication commits in between; whoever reads twice compares the ids and starts again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import OuterRef, QuerySet, Subquery

from ranking.models import Mode, Rating, Snapshot
from ranking.ranktable import RankTable, top_percent
from ranking.snapshots import table_of
from ranking.tiers import Tier

T = TypeVar("T")
_TRIES = 4


class Superseded(Exception):
    """A publication came in between."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where somebody stands; None where their mode doesn't show it."""

    rank: int
    listed: int
    percentile: int | None
    top_percent: int | None
    tier: Tier | None


@dataclass(frozen=True, slots=True)
class Published:
    """A board as it was published."""

    mode: Mode
    snapshot_id: int
    taken_at: dt.datetime
    table: RankTable

    def standing(self, hundredths: int) -> Standing:
        """Of somebody on the board."""
        rank, percentile, listed = self.table.rank_of(hundredths), self.table.percentile_of(hundredths), len(self.table)
        return Standing(
            rank=rank,
            listed=listed,
            percentile=percentile if self.mode.shows_percentile else None,
            top_percent=top_percent(rank, listed) if self.mode.shows_percentile else None,
            tier=self.mode.tier_of(percentile) if self.mode.shows_tier else None,
        )


def with_snapshot(ratings: QuerySet[Rating]) -> QuerySet[Rating, Any]:
    """These ratings with `snapshot_id` and `snapshot_taken_at` of the newest snapshot of their board."""
    newest = Snapshot.objects.filter(mode=OuterRef("mode"), season=OuterRef("season"), region="").order_by("-id")
    return ratings.annotate(
        snapshot_id=Subquery(newest.values("id")[:1]), snapshot_taken_at=Subquery(newest.values("taken_at")[:1])
    )


def published_with(rating: Any, mode: Mode) -> Published | None:
    """The board that was in force when a rating was read by `with_snapshot`; raises Superseded."""
    if rating.snapshot_id is None:
        return None
    return published(Snapshot(pk=rating.snapshot_id, mode=mode, taken_at=rating.snapshot_taken_at), mode)


def published(snapshot: Snapshot, mode: Mode) -> Published:
    """The board of a snapshot; raises Superseded where it is gone already."""
    try:
        return Published(mode, snapshot.pk, snapshot.taken_at, table_of(snapshot))
    except Snapshot.DoesNotExist as error:
        raise Superseded from error


def read_consistently(read: Callable[[], T]) -> T:
    """What `read` gives, tried again where a publication came in between."""
    for _ in range(_TRIES - 1):
        try:
            return read()
        except Superseded:
            continue
    return read()
