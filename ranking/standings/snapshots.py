"""Reads published rank tables through a small cache: a snapshot never changes, so its table doesn't either."""

import datetime as dt
import functools
import time
from functools import lru_cache
from typing import NamedTuple

from django.db.models import BigIntegerField, CharField

from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Mode, Snapshot
from ranking.rules.rank_table import RankTable, TableStanding


class FinalPlace(NamedTuple):
    """A published rating in hundredths in a season's final table. `taken_at`: microseconds since 1970.

    `taken_at` is there for caches: a restored database may use an id again.
    """

    snapshot_id: int
    taken_at: int
    hundredths: int


def find_newest(mode_id: int, season_id: int, region: str = "") -> Snapshot | None:
    """The newest snapshot, without its table."""
    snapshots = Snapshot.objects.filter(mode=mode_id, season=season_id, region=region)
    return snapshots.defer("table").order_by("-id").first()


def find_yesterdays(mode: Mode, season_id: int, now: dt.datetime, region: str = "") -> Snapshot | None:
    """The last snapshot taken before today began in the mode's time zone, without its table."""
    snapshots = Snapshot.objects.filter(mode=mode, season=season_id, region=region, taken_at__lt=mode.day_start(now))
    return snapshots.defer("table").order_by("-id").first()


def yesterdays_of(newest: Snapshot, season_id: int, day_start: dt.datetime, region: str = "") -> Snapshot | None:
    """The last snapshot taken before a day began. Its row is read once for each `newest` snapshot, then cached."""
    row = _yesterdays(newest.pk, newest.taken_at, newest.mode_id, season_id, day_start, region)
    return None if row is None else Snapshot(pk=row[0], mode_id=newest.mode_id, taken_at=row[1])


@lru_cache(maxsize=64)
def _yesterdays(
    _newest_id: int, _taken_at: dt.datetime, mode_id: int, season_id: int, day_start: dt.datetime, region: str
) -> tuple[int, dt.datetime] | None:
    snapshots = Snapshot.objects.filter(mode=mode_id, season=season_id, region=region, taken_at__lt=day_start)
    return snapshots.order_by("-id").values_list("pk", "taken_at").first()


FRESH_FOR = 2  # seconds that a process goes on with the newest snapshot's id


def newest_id(slug: str) -> int | None:
    """The id of the newest snapshot of a mode's current season; None before its first publication.

    A process reads it every FRESH_FOR seconds: open pages ask for it again and again.
    """
    return _newest_id(slug, int(time.time() // FRESH_FOR))


@lru_cache(maxsize=256)
def _newest_id(slug: str, _period: int) -> int | None:
    snapshots = Snapshot.objects.filter(mode__slug=slug, season__current=True, region="").order_by("-id")
    return snapshots.values_list("pk", flat=True).first()


def newest_id_of_all() -> int | None:
    """The id of the newest snapshot of all modes; None before the first publication. As fresh as `newest_id`."""
    return _newest_id_of_all(int(time.time() // FRESH_FOR))


@lru_cache(maxsize=4)
def _newest_id_of_all(_period: int) -> int | None:
    return Snapshot.objects.order_by("-id").values_list("pk", flat=True).first()


def newest_table(mode_id: int, season_id: int, region: str = "") -> RankTable | None:
    """The rank table in force; None before the first publication."""
    while rows := _newest_query().rows(mode=mode_id, season=season_id, region=region):
        try:
            return table_at(*rows[0])
        except Snapshot.DoesNotExist:
            continue  # superseded and deleted between the two queries: there is a newer one
    return None


@functools.cache
def _newest_query() -> Prepared:
    own = {name: Placeholder(name, BigIntegerField()) for name in ("mode", "season")}
    snapshots = Snapshot.objects.filter(**own, region=Placeholder("region", CharField())).order_by("-id")
    return prepare(snapshots.values_list("pk", "taken_at", "mode_id")[:1])


def table_of(snapshot: Snapshot) -> RankTable:
    """The table of a snapshot; raises Snapshot.DoesNotExist if the snapshot was deleted."""
    return table_at(snapshot.pk, snapshot.taken_at, snapshot.mode_id)


@lru_cache(maxsize=64)
def table_at(snapshot_id: int, _taken_at: dt.datetime, _mode_id: int) -> RankTable:
    """The table of a snapshot, through a cache; raises Snapshot.DoesNotExist if the snapshot was deleted."""
    # `_taken_at` is part of the cache's key because a restored database may use an id again.
    return RankTable.from_bytes(bytes(Snapshot.objects.values_list("table", flat=True).get(pk=snapshot_id)))


@lru_cache(maxsize=4096)
def final_standings(places: tuple[FinalPlace, ...]) -> tuple[TableStanding, ...]:
    """The standings of listed ratings in final tables, which never change, in their order: one query, then cached.

    Raises Snapshot.DoesNotExist if a snapshot was deleted.
    """
    tables = dict(Snapshot.objects.filter(pk__in=[place.snapshot_id for place in places]).values_list("pk", "table"))
    if len(tables) < len({place.snapshot_id for place in places}):
        raise Snapshot.DoesNotExist("A final snapshot was deleted.")
    # One table at a time: a player's seasons together may be large.
    return tuple(
        RankTable.from_bytes(bytes(tables[place.snapshot_id])).standing(place.hundredths, excluding=place.hundredths)
        for place in places
    )


def regions_of(snapshot: Snapshot) -> dict[str, Snapshot]:
    """The regional snapshots published together with this global one, by region in order, without their tables."""
    rows = _regions(snapshot.pk, snapshot.taken_at, snapshot.mode_id)
    return {
        region: Snapshot(pk=pk, mode_id=snapshot.mode_id, region=region, taken_at=snapshot.taken_at, listed=listed)
        for pk, region, listed in rows
    }


@lru_cache(maxsize=64)
def _regions(snapshot_id: int, taken_at: dt.datetime, mode_id: int) -> tuple[tuple[int, str, int], ...]:
    snapshots = Snapshot.objects.filter(mode=mode_id, taken_at=taken_at, pk__gt=snapshot_id).exclude(region="")
    return tuple(snapshots.order_by("region", "pk").values_list("pk", "region", "listed"))
