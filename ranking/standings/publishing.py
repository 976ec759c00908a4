"""Publishes a mode's live ratings to its boards, in one transaction of set-based SQL."""

import datetime as dt

from django.db import connection, transaction
from django.db.models import Case, Count, DateField, DateTimeField, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from ranking.database import locks
from ranking.models import Ban, Mode, Player, Rating, Season, Snapshot
from ranking.operations import metrics
from ranking.rules.rank_table import RankTable
from ranking.standings.placement import placed_in_sql

READING = dt.timedelta(seconds=30)  # a reader's time between learning a snapshot's id and reading its table
_CHUNK = 50_000  # rows of a count, fetched at once
LATELY = dt.timedelta(hours=1)


@metrics.PUBLISHING.time()
@transaction.atomic
def publish(mode: Mode, *, now: dt.datetime) -> Snapshot | None:
    """List and unlist players whose state changed, publish changed ratings, and switch to a new snapshot.

    Return None if another publisher of the mode is at work, or if the mode is being rated anew. Rows that are locked by
    a result wait for the next publication.
    """
    if not locks.claim_publishing(mode.slug):
        return None
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    if season.mode.lease_id is not None:
        return None
    _publish_changed(mode, season, _turned(season, now), now)
    newest = _write_snapshots(season, now)
    _drop_superseded(newest, mode, now)
    return newest


@transaction.atomic
def publish_ending(mode: Mode, *, now: dt.datetime) -> None:
    """Publish a season that ends while results still come in, so that `publish_final` has little left to do.

    The caller has the mode's lease, so no publication begins any more. It waits for one that is at work.
    """
    locks.hold_publishing(mode.slug)
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    _publish_changed(season.mode, season, _turned(season, now), now, active_at=season.ends_at)
    _drop_superseded(_write_snapshots(season, now), mode, now)


def publish_final(season: Season, *, now: dt.datetime) -> Snapshot:
    """Publish a season that ends for the last time, inside the caller's transaction.

    Players who were active at its end are listed. It waits for locked rows; the caller holds the mode and publishing.
    """
    at = season.ends_at or now
    _publish_changed(season.mode, season, _turned(season, now), now, active_at=at, skip_locked=False)
    Snapshot.objects.filter(season=season, final=False, taken_at__lt=now - READING).delete()
    return _write_snapshots(season, now, final=True)


def _write_snapshots(season: Season, now: dt.datetime, *, final: bool = False) -> Snapshot:
    """Write a snapshot of the published rows for everyone and one for each region; return everyone's."""
    _count_in_memory()
    return Snapshot.objects.bulk_create(
        Snapshot(
            mode=season.mode, season=season, region=region, taken_at=now, final=final, listed=len(table),
            table=table.to_bytes(),
        )
        for region, table in count_tables(season).items()
    )[0]  # fmt: skip


def count_tables(season: Season) -> dict[str, RankTable]:
    """Rank tables of the published rows: everyone's first, under "", then one for each region with players."""
    counts = (
        Rating.objects.filter(mode=season.mode_id, season=season, listed=True)
        .values_list("region", "published_hundredths")
        .annotate(rows=Count("*"))
        .order_by("published_hundredths")
    )
    everyone: dict[int, int] = {}
    regions: dict[str, list[tuple[int, int]]] = {}
    for region, value, rows in counts.iterator(chunk_size=_CHUNK):
        everyone[value] = everyone.get(value, 0) + rows
        if region:
            regions.setdefault(region, []).append((value, rows))
    return {"": RankTable(everyone.items()), **{name: RankTable(regions[name]) for name in sorted(regions)}}


def _count_in_memory() -> None:
    """Let PostgreSQL aggregate by hash in this transaction, so that it sorts the counts and not every player."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # By default PostgreSQL plans a cursor for its first rows: an index scan that jumps all over the table.
            cursor.execute(
                "SELECT set_config('work_mem', '64MB', true), set_config('cursor_tuple_fraction', '1', true)"
            )


def _turned(season: Season, now: dt.datetime) -> list[int]:
    """Players whose ban from boards has begun or run out since an hour before the last publication.

    The hour is for rows that a result had locked then. Making or lifting a ban marks the rows by itself.
    """
    last = Snapshot.objects.filter(season=season, region="").order_by("-id").values("taken_at")[:1]
    since = Coalesce(Subquery(last), Value(now, DateTimeField())) - LATELY
    began, ended = Q(starts_at__gt=since, starts_at__lte=now), Q(ends_at__gt=since, ends_at__lte=now)
    return list(Ban.objects.from_boards().filter(began | ended).values_list("player", flat=True))


def _publish_changed(
    mode: Mode,
    season: Season,
    turned: list[int],
    now: dt.datetime,
    *,
    active_at: dt.datetime | None = None,
    skip_locked: bool = True,
) -> None:
    """Publish, in one UPDATE, the rows whose listing or rating differs from what boards show.

    `active_at`: the time at which players have to be active, if that isn't now.
    """
    at = active_at or now
    returned = Q() if active_at is None else Q(listed=False, active_until__gte=at, active_until__lt=now)
    today = mode.day_of(now)
    hidden = Exists(Player.objects.filter(pk=OuterRef("player"), hidden_at__isnull=False))
    banned = Exists(Ban.objects.running(now).from_boards().filter(player=OuterRef("player")))
    listed = Q(active_until__gte=at) & placed_in_sql(mode) & ~hidden & ~banned
    changed = (
        Rating.objects.filter(mode=mode, season=season)
        .filter(Q(to_publish=True) | Q(listed=True, active_until__lt=at) | Q(player__in=turned) | returned)
        .order_by("id")
        .select_for_update(skip_locked=skip_locked)
    )
    Rating.objects.filter(pk__in=changed.values("pk")).update(
        # The rating published when today began; right-hand sides are the values before this UPDATE.
        published_day_ago=Case(
            When(published_on=today, then=F("published_day_ago")),
            When(listed=True, then=F("published_hundredths")),
            default=None,
        ),
        published_on=Value(today, DateField()),
        listed=Case(When(listed, then=True), default=False),  # never NULL, as active_until may be
        region=Case(When(chosen_region="", then=F("region")), default=F("chosen_region")),
        published_hundredths=F("display_hundredths"),
        published_reached_at=F("reached_at"),
        to_publish=False,
    )


def _drop_superseded(newest: Snapshot, mode: Mode, now: dt.datetime) -> None:
    """Delete old snapshots, except the last before today, final ones, and those that somebody may be reading.

    All snapshots of one publication, everyone's and the regions', have the same `taken_at`.
    """
    siblings = Snapshot.objects.filter(mode=mode, season=newest.season)
    before_today = siblings.filter(region="", taken_at__lt=mode.day_start(now)).order_by("-id")
    superseded = siblings.filter(pk__lt=newest.pk, final=False, taken_at__lt=now - READING)
    superseded.exclude(taken_at__in=before_today.values("taken_at")[:1]).delete()
