"""Publishes a mode's live ratings to its boards, in one transaction of set-based SQL.

The rank tables of a publication are those of the one before, with the players whose rows changed moved from their old
ratings and regions to the new ones: nobody else writes what boards show. Once an hour all rows are counted first, while
none is locked, so no result waits for the count. If more than MOST_CHANGED rows changed, all are counted at the end.
"""

import datetime as dt
import logging
from typing import Any

from django.db import connection, transaction
from django.db.models import (
    BigIntegerField,
    Case,
    DateField,
    DateTimeField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from ranking.database import locks
from ranking.database.prepared_queries import InPlaceholder, prepare_update
from ranking.models import Ban, Mode, Player, Rating, Rerating, Season, Snapshot
from ranking.operations import metrics
from ranking.standings.counting import (
    SHOWN,
    Tables,
    count_tables,
    moved_tables,
    newest_tables,
    stored_tables,
    tables_of,
)
from ranking.standings.passings import keep_passings
from ranking.standings.placement import placed_in_sql

READING_TIME = dt.timedelta(seconds=30)  # that a reader may take between learning a snapshot's id and reading its table
MOST_CHANGED = 10_000  # rows; if more changed, all are counted
BAN_OVERLAP = dt.timedelta(hours=1)  # before the last publication: a result may have locked rows then

log = logging.getLogger(__name__)


@metrics.PUBLISHING.time()
@transaction.atomic
def publish(mode: Mode, *, now: dt.datetime, count_all: bool = False) -> Snapshot | None:
    """List and unlist players whose state changed, publish changed ratings, and switch to a new snapshot.

    Return None if another publisher of the mode is at work, or if the mode is being rated anew. Rows that are locked by
    a result wait for the next publication. `count_all`: don't rest on the rank tables of the publication before.
    Who passed whom since that one is kept first, while no row is locked.
    """
    if not locks.claim_publishing(mode.slug):
        return None
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    if season.mode.lease_id is not None:
        return None
    keep_passings(season)
    counted = count_all or _is_first_in_hour(season, now)
    tables = _publish_changed(season, _count_published(season) if counted else newest_tables(season), now)
    newest = _write_snapshots(season, tables, now)
    _drop_superseded(newest, mode, now)
    return newest


def _count_published(season: Season) -> Tables:
    """Count what boards show before this publication, without a lock on any row; log it if the rank tables differ."""
    counted = count_tables(season)
    try:
        right = newest_tables(season) in (None, counted)
    except ValueError:  # a table is damaged
        right = False
    if not right:
        log.warning("The rank tables of %s contradict its ratings, and were counted anew.", season.mode)
    return counted


def _is_first_in_hour(season: Season, now: dt.datetime) -> bool:
    """True for the first publication after half past each hour, as seasons often end on the hour."""
    half = dt.timedelta(minutes=30)
    begin = (now - half).replace(minute=0, second=0, microsecond=0) + half
    return not Snapshot.objects.filter(season=season, region="", taken_at__gte=begin).exists()


@transaction.atomic
def publish_ending(mode: Mode, *, now: dt.datetime, since: dt.datetime) -> None:
    """Publish a season that ends while results still come in, so that `publish_final` has little left to do.

    It does nothing if the last publication is of `since` or later, or while the mode is being rated anew. It waits for
    another publisher who is at work.
    """
    locks.hold_publishing(mode.slug)
    season = Season.objects.select_related("mode__lease").get(mode=mode, current=True)
    lease = season.mode.lease
    if lease is not None and lease.kind == Rerating.RERATING:
        return
    if Snapshot.objects.filter(mode=mode, season=season, region="", taken_at__gte=since).exists():
        return
    keep_passings(season)
    tables = _publish_changed(season, newest_tables(season), now, active_at=season.ends_at)
    _drop_superseded(_write_snapshots(season, tables, now), mode, now)


def publish_final(season: Season, *, now: dt.datetime) -> Snapshot:
    """Publish a season that ends for the last time, inside the caller's transaction.

    Players who were active at its end are listed. It waits for locked rows; the caller holds the mode and publishing.
    """
    keep_passings(season)
    tables = _publish_changed(season, newest_tables(season), now, active_at=season.ends_at or now, skip_locked=False)
    Snapshot.objects.filter(season=season, final=False, taken_at__lt=now - READING_TIME).delete()
    return _write_snapshots(season, tables, now, final=True)


def _write_snapshots(season: Season, tables: Tables, now: dt.datetime, *, final: bool = False) -> Snapshot:
    """Write a snapshot of the published rows for everyone and one for each region; return everyone's."""
    return Snapshot.objects.bulk_create(
        Snapshot(
            mode=season.mode, season=season, region=region, taken_at=now, final=final, listed=len(tables[region]),
            table=stored,
        )
        for region, stored in stored_tables(tables).items()
    )[0]  # fmt: skip


def _find_ban_changed(season: Season, now: dt.datetime) -> list[int]:
    """Players whose ban from boards has begun or run out since an hour before the last publication.

    Making or lifting a ban marks the rows by itself.
    """
    last = Snapshot.objects.filter(season=season, region="").order_by("-id").values("taken_at")[:1]
    since = Coalesce(Subquery(last), Value(now, DateTimeField())) - BAN_OVERLAP
    began, ended = Q(starts_at__gt=since, starts_at__lte=now), Q(ends_at__gt=since, ends_at__lte=now)
    return list(Ban.objects.from_boards().filter(began | ended).values_list("player", flat=True))


def _publish_changed(
    season: Season,
    tables: Tables | None,
    now: dt.datetime,
    *,
    active_at: dt.datetime | None = None,
    skip_locked: bool = True,
) -> Tables:
    """Publish, in one UPDATE, the rows whose listing or rating differs from what boards show; return the rank tables.

    `tables`: those of what boards show until now. `active_at`: the time at which players have to be active, if that
    isn't now. Without tables, and if more than MOST_CHANGED rows changed, all are counted.
    """
    _without_compiling()
    published = _published(season.mode, now, active_at or now)
    rows = Rating.objects.filter(InPlaceholder("id", "ids", BigIntegerField()))
    update = prepare_update(rows, published, SHOWN)  # before rows are locked, as results may wait for them
    changed = _find_changed(season, now, active_at).order_by("id").select_for_update(skip_locked=skip_locked)
    before = list(changed.values_list(*SHOWN, "pk")[: MOST_CHANGED + 1])
    if tables is None or len(before) > MOST_CHANGED:
        Rating.objects.filter(pk__in=changed.values("pk")).update(**published)
        return count_tables(season)
    after = update.rows(ids=[pk for *_, pk in before])
    try:
        return moved_tables(tables, tables_of(row[:-1] for row in before), tables_of(after))
    except ValueError as error:
        log.warning("The rank tables of %s contradict its ratings, and are counted anew.", season.mode, exc_info=error)
        return count_tables(season)


def _without_compiling() -> None:
    """Have PostgreSQL compile no more queries in this transaction: it takes longer than they do."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('jit', 'off', true)")


def _find_changed(season: Season, now: dt.datetime, active_at: dt.datetime | None) -> QuerySet[Rating]:
    at = active_at or now
    returned = Q() if active_at is None else Q(listed=False, active_until__gte=at, active_until__lt=now)
    inactive, ban_changed = Q(listed=True, active_until__lt=at), Q(player__in=_find_ban_changed(season, now))
    return Rating.objects.filter(
        Q(to_publish=True) | inactive | ban_changed | returned, mode=season.mode_id, season=season.pk
    )


def _published(mode: Mode, now: dt.datetime, active_at: dt.datetime) -> dict[str, Any]:
    """What an UPDATE sets in rows of a mode to publish them."""
    today = mode.day_of(now)
    # Each by an index of its own, of few players, so that the players of the rows needn't be read.
    hidden = Exists(Player.objects.filter(hidden_at__isnull=False, pk=OuterRef("player")))
    bot = Exists(Player.objects.filter(is_bot=True, pk=OuterRef("player")))
    banned = Exists(Ban.objects.running(now).from_boards().filter(player=OuterRef("player")))
    listed = Q(active_until__gte=active_at) & placed_in_sql(mode) & ~hidden & ~bot & ~banned
    return {
        # The rating published when today began; right-hand sides are the values before this UPDATE.
        "published_day_ago": Case(
            When(published_on=today, then=F("published_day_ago")),
            When(listed=True, then=F("published_hundredths")),
            default=None,
        ),
        "published_on": Value(today, DateField()),
        "listed": Case(When(listed, then=True), default=False),  # never NULL, as active_until may be
        "region": Case(When(chosen_region="", then=F("region")), default=F("chosen_region")),
        "published_hundredths": F("display_hundredths"),
        "published_reached_at": F("reached_at"),
        "to_publish": False,
    }


def _drop_superseded(newest: Snapshot, mode: Mode, now: dt.datetime) -> None:
    """Delete old snapshots, except the last before today, final ones, and those that somebody may be reading.

    All snapshots of one publication, everyone's and the regions', have the same `taken_at`.
    """
    siblings = Snapshot.objects.filter(mode=mode, season=newest.season)
    before_today = siblings.filter(region="", taken_at__lt=mode.day_start(now)).order_by("-id")
    superseded = siblings.filter(pk__lt=newest.pk, final=False, taken_at__lt=now - READING_TIME)
    superseded.exclude(taken_at__in=before_today.values("taken_at")[:1]).delete()
