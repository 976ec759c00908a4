"""Published rank tables, read through a small cache: a snapshot never changes, so neither does its table."""

import datetime as dt
import functools
from collections.abc import Callable
from functools import lru_cache

from django.db.models import BigIntegerField, CharField

from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Mode, Snapshot
from ranking.rules.rank_table import RankTable


def find_newest(mode_id: int, season_id: int, region: str = "") -> Snapshot | None:
    """The newest snapshot, without its table."""
    snapshots = Snapshot.objects.filter(mode=mode_id, season=season_id, region=region)
    return snapshots.defer("table").order_by("-id").first()


def find_yesterdays(mode: Mode, season_id: int, now: dt.datetime, region: str = "") -> Snapshot | None:
    """The last snapshot taken before today began where the mode lives, without its table."""
    snapshots = Snapshot.objects.filter(mode=mode, season=season_id, region=region, taken_at__lt=mode.day_start(now))
    return snapshots.defer("table").order_by("-id").first()


def yesterdays_of(newest: Snapshot, season_id: int, day_start: dt.datetime, region: str = "") -> Snapshot | None:
    """The last snapshot taken before a day began, as long as `newest` is the newest one; read once a publication."""
    found = _yesterdays(newest.pk, newest.taken_at, newest.mode_id, season_id, day_start, region)
    return None if found is None else Snapshot(pk=found[0], mode_id=newest.mode_id, taken_at=found[1])


@lru_cache(maxsize=64)
def _yesterdays(
    _newest_id: int, _taken_at: dt.datetime, mode_id: int, season_id: int, day_start: dt.datetime, region: str
) -> tuple[int, dt.datetime] | None:
    snapshots = Snapshot.objects.filter(mode=mode_id, season=season_id, region=region, taken_at__lt=day_start)
    return snapshots.order_by("-id").values_list("pk", "taken_at").first()


def newest_table(mode_id: int, season_id: int, region: str = "") -> RankTable | None:
    """The rank table in force; None before the first publication."""
    return ask_newest_table(mode_id, season_id, region)()


def ask_newest_table(mode_id: int, season_id: int, region: str = "") -> Callable[[], RankTable | None]:
    """Ask for the rank table in force; what is returned gives it. For prepared.together."""
    asked = {"mode": mode_id, "season": season_id, "region": region}
    newest = _newest().ask(**asked)

    def table() -> RankTable | None:
        found = newest()
        while found:
            try:
                return table_at(*found[0])
            except Snapshot.DoesNotExist:  # superseded and dropped between the two queries: there is a newer one
                found = _newest().rows(**asked)
        return None

    return table


@functools.cache
def _newest() -> Prepared:
    own = {name: Placeholder(name, BigIntegerField()) for name in ("mode", "season")}
    snapshots = Snapshot.objects.filter(**own, region=Placeholder("region", CharField())).order_by("-id")
    return prepare(snapshots.values_list("pk", "taken_at", "mode_id")[:1])


def table_of(snapshot: Snapshot) -> RankTable:
    """Raises Snapshot.DoesNotExist where it is gone."""
    return table_at(snapshot.pk, snapshot.taken_at, snapshot.mode_id)


@lru_cache(maxsize=64)
def table_at(snapshot_id: int, _taken_at: dt.datetime, _mode_id: int) -> RankTable:
    """The table of a snapshot of which these are known; raises Snapshot.DoesNotExist where it is gone."""
    # The moment is part of the key because a restored database may use an id again.
    return RankTable.from_bytes(bytes(Snapshot.objects.values_list("table", flat=True).get(pk=snapshot_id)))


def regions_of(snapshot: Snapshot) -> dict[str, Snapshot]:
    """By region, in order, the snapshots that were published together with everyone's, without their tables."""
    found = _regions(snapshot.pk, snapshot.taken_at, snapshot.mode_id)
    return {
        region: Snapshot(pk=pk, mode_id=snapshot.mode_id, region=region, taken_at=snapshot.taken_at, listed=listed)
        for pk, region, listed in found
    }


@lru_cache(maxsize=64)
def _regions(snapshot_id: int, taken_at: dt.datetime, mode_id: int) -> tuple[tuple[int, str, int], ...]:
    together = Snapshot.objects.filter(mode=mode_id, taken_at=taken_at, pk__gt=snapshot_id).exclude(region="")
    return tuple(together.order_by("region", "pk").values_list("pk", "region", "listed"))
