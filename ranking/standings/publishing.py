"""Publishes a mode's live ratings to its boards, in one transaction of set-based SQL."""

import datetime as dt

from django.db import connection, transaction
from django.db.models import Case, Count, DateField, DateTimeField, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from ranking.database import locks
from ranking.models import Ban, Mode, Player, Rating, Season, Snapshot
from ranking.operations import metrics
from ranking.rules.rank_table import RankTable

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
    _count_in_memory()
    snapshots = Snapshot.objects.bulk_create(
        Snapshot(mode=mode, season=season, region=region, taken_at=now, listed=len(table), table=table.to_bytes())
        for region, table in count_tables(season).items()
    )
    _drop_superseded(snapshots[0], mode, now)
    return snapshots[0]


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


def _publish_changed(mode: Mode, season: Season, turned: list[int], now: dt.datetime) -> None:
    """Publish, in one UPDATE, the rows whose listing or rating differs from what boards show."""
    today = mode.day_of(now)
    hidden = Exists(Player.objects.filter(pk=OuterRef("player"), hidden_at__isnull=False))
    placed = Q(wins__gte=mode.placement_matches - F("draws") - F("losses"))
    banned = Exists(Ban.objects.running(now).from_boards().filter(player=OuterRef("player")))
    listed = Q(active_until__gte=now) & placed & ~hidden & ~banned
    changed = (
        Rating.objects.filter(mode=mode, season=season)
        .filter(Q(to_publish=True) | Q(listed=True, active_until__lt=now) | Q(player__in=turned))
        .order_by("id")
        .select_for_update(skip_locked=True)
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
