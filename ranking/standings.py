"""Publishing: from live ratings to boards, in one transaction of set-based SQL."""

import datetime as dt

from django.db import transaction
from django.db.models import Case, Count, DateField, Exists, F, OuterRef, Q, Value, When

from ranking import locks, telemetry
from ranking.models import Mode, Player, Rating, Season, Snapshot
from ranking.ranktable import RankTable

READING = dt.timedelta(seconds=30)  # between learning a snapshot's id and reading its table


@telemetry.PUBLISHING.time()
@transaction.atomic
def publish(mode: Mode, *, now: dt.datetime) -> Snapshot | None:
    """List and unlist whoever changed state, publish changed ratings, and switch to a new snapshot.

    None where another publisher of the mode is at work, or the mode is being rated anew. Rows that a result holds
    are left for next time.
    """
    if not locks.claim_publishing(mode.slug):
        return None
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    if season.mode.lease_id is not None:
        return None
    _publish_changed(mode, season, now)
    counts = (
        Rating.objects.filter(mode=mode, season=season, listed=True)
        .values_list("published_hundredths")
        .annotate(rows=Count("*"))
        .order_by("published_hundredths")
    )
    table = RankTable(counts)
    snapshot = Snapshot.objects.create(
        mode=mode, season=season, taken_at=now, listed=len(table), table=table.to_bytes()
    )
    _drop_superseded(snapshot, mode, now)
    return snapshot


def _publish_changed(mode: Mode, season: Season, now: dt.datetime) -> None:
    """One UPDATE over the rows whose listing or rating isn't what boards show."""
    today = mode.day_of(now)
    hidden = Exists(Player.objects.filter(pk=OuterRef("player"), hidden_at__isnull=False))
    placed = Q(wins__gte=mode.placement_matches - F("draws") - F("losses"))
    listed = Q(active_until__gte=now) & placed & ~hidden
    changed = (
        Rating.objects.filter(mode=mode, season=season)
        .filter(Q(to_publish=True) | Q(listed=True, active_until__lt=now))
        .order_by("id")
        .select_for_update(skip_locked=True)
    )
    Rating.objects.filter(pk__in=changed.values("pk")).update(
        # What was published when today began; right-hand sides are the values before this UPDATE.
        published_day_ago=Case(
            When(published_on=today, then=F("published_day_ago")),
            When(listed=True, then=F("published_hundredths")),
            default=None,
        ),
        published_on=Value(today, DateField()),
        listed=Case(When(listed, then=True), default=False),  # never NULL, as active_until may be
        published_hundredths=F("display_hundredths"),
        published_reached_at=F("reached_at"),
        to_publish=False,
    )


def _drop_superseded(newest: Snapshot, mode: Mode, now: dt.datetime) -> None:
    """Keep the newest, the last before today began, finals, and what a reader may just have begun to read."""
    siblings = Snapshot.objects.filter(mode=mode, season=newest.season, region=newest.region)
    yesterdays = siblings.filter(taken_at__lt=mode.day_start(now)).order_by("-id").values_list("pk", flat=True)[:1]
    superseded = siblings.filter(pk__lt=newest.pk, final=False, taken_at__lt=now - READING)
    superseded.exclude(pk__in=list(yesterdays)).delete()
