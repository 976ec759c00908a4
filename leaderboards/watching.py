"""Watching standings: after a publication, whoever played and crossed a bound is told.

Results mark who played (a consumer of the outbox); what follows each publication costs by how many played since the
last one, not by how many there are. Watched are players with an account, who can be told, and everybody of a mode
whose promotions a webhook wants.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Q, Subquery

from leaderboards.boards.published import Superseded, read_consistently
from leaderboards.models import Watch
from leaderboards.notifications.news import Seen, find_tidings
from leaderboards.notifications.notices import replace_ranks, tell
from leaderboards.webhooks.queueing import modes_with_promotions, queue_promotions
from ranking.models import Mode, Rating, Season, Snapshot
from ranking.operations.outbox import in_batches
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import find_newest, find_yesterdays, table_of

CHUNK = 2_000  # players looked at in one transaction


@in_batches
def note_played(event_ids: Sequence[int], now: dt.datetime) -> None:
    """A consumer of the outbox: whoever played is looked at after the next publication."""
    told = Q(player__user__isnull=False) | Q(mode__in=modes_with_promotions())
    played = Rating.objects.filter(
        told, player__changes__event__in=event_ids, player__changes__season=F("season"), mode__ranked=True
    )
    ids = played.order_by("id").values_list("id", flat=True).distinct()
    Watch.objects.bulk_create(
        [Watch(rating_id=pk, pending=True) for pk in ids],
        update_conflicts=True, unique_fields=["rating"], update_fields=["pending"],
    )  # fmt: skip


def tell_standings(mode: Mode, now: dt.datetime, *, chunk: int = CHUNK) -> int:
    """Look at everybody of a mode who played and was published since; returns how many were looked at."""
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    looked = some = read_consistently(lambda: _look(season, now, chunk))
    while some == chunk:
        some = read_consistently(lambda: _look(season, now, chunk))
        looked += some
    return looked


@transaction.atomic
def _look(season: Season, now: dt.datetime, chunk: int) -> int:
    """The next players, a chunk at most; raises Superseded where a publication came in between."""
    newest = find_newest(season.mode_id, season.pk)
    if newest is None:
        return 0
    in_force = Snapshot.objects.filter(mode=season.mode, season=season, region="").order_by("-id").values("id")[:1]
    watches = Watch.objects.filter(
        pending=True, rating__mode=season.mode, rating__season=season, rating__to_publish=False
    )
    locked = watches.select_for_update(of=("self",), skip_locked=True).select_related("rating")
    rows = list(locked.annotate(snapshot=Subquery(in_force)).order_by("id")[:chunk])
    listed = [row for row in rows if row.rating.listed]
    if any(row.snapshot != newest.pk for row in listed):
        raise Superseded
    if listed:
        _tell(season, listed, table_of(newest), now)
    Watch.objects.filter(pk__in=[row.pk for row in rows]).update(pending=False)
    return len(rows)


def _tell(season: Season, watches: Sequence[Watch], table: RankTable, now: dt.datetime) -> None:
    """Tell what there is to tell of players on the board, and keep the best that each has now been told."""
    yesterdays = find_yesterdays(season.mode, season.pk, now)
    today = season.mode.day_of(now)
    seen = [_seen(watch, watch.rating.published_on == today) for watch in watches]
    tidings = find_tidings(season, seen, table, None if yesterdays is None else table_of(yesterdays), now)
    replace_ranks(tidings.notices)
    tell(tidings.notices)
    queue_promotions(season, tidings.promotions, now)
    better = []
    for watch, level, top in zip(watches, tidings.levels, tidings.tops, strict=True):
        if (watch.level, watch.top) != (level, top):
            watch.level, watch.top = level, top
            better.append(watch)
    Watch.objects.bulk_create(better, update_conflicts=True, unique_fields=["id"], update_fields=["level", "top"])


def _seen(watch: Watch, changed_today: bool) -> Seen:
    rating = watch.rating
    before = rating.published_day_ago if changed_today else rating.published_hundredths
    assert rating.published_hundredths is not None  # noqa: S101 - rating_listed_is_published
    return Seen(
        player_id=rating.player_id,
        value=rating.published_hundredths,
        value_before=before,
        level=watch.level,
        top=watch.top,
    )
