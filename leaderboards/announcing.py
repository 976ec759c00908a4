"""Announces standings: after each publication, tells players who played and crossed a bound, and queues promotions.

Results mark the ratings of who played (a consumer of the outbox), so a publication costs by how many played since the
last one, not by how many players there are. Watched are the ratings of players with an account, who can be told, and
all ratings of a mode whose promotions a webhook asks for.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Q, Subquery

from leaderboards.boards.published import Superseded, read_consistently
from leaderboards.models import Watch
from leaderboards.notifications.news import WatchedPlayer, find_news
from leaderboards.notifications.notices import replace_ranks, tell
from leaderboards.webhooks.queueing import modes_with_promotions, queue_promotions
from ranking.models import Mode, Rating, Season, Snapshot
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import find_newest, find_yesterdays, table_of

CHUNK = 2_000  # players looked at in one transaction


def note_played(event_ids: Sequence[int], now: dt.datetime) -> None:
    """Mark the ratings of who played, to be looked at after the next publication. A consumer of the outbox."""
    watched = Q(player__user__isnull=False) | Q(mode__in=modes_with_promotions())
    ratings = Rating.objects.filter(
        watched, player__changes__event__in=event_ids, player__changes__season=F("season"), mode__ranked=True
    )
    ids = ratings.order_by("id").values_list("id", flat=True).distinct()
    Watch.objects.bulk_create(
        [Watch(rating_id=pk, pending=True) for pk in ids],
        update_conflicts=True, unique_fields=["rating"], update_fields=["pending"],
    )  # fmt: skip


def tell_standings(mode: Mode, now: dt.datetime, *, chunk: int = CHUNK) -> int:
    """Look at all players of a mode who played and were published since. Returns how many these were."""
    season = Season.objects.select_related("mode").get(mode=mode, current=True)
    total = count = read_consistently(lambda: _look(season, now, chunk))
    while count == chunk:
        count = read_consistently(lambda: _look(season, now, chunk))
        total += count
    return total


@transaction.atomic
def _look(season: Season, now: dt.datetime, chunk: int) -> int:
    """Look at the next players, a chunk at most. Raises Superseded if a publication came in between."""
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
    """Write the news of players on the board, and keep the best that each player has now been told."""
    yesterdays = find_yesterdays(season.mode, season.pk, now)
    today = season.mode.day_of(now)
    players = [_watched_player(watch, watch.rating.published_on == today) for watch in watches]
    news = find_news(season, players, table, None if yesterdays is None else table_of(yesterdays), now)
    replace_ranks(news.notices)
    tell(news.notices)
    queue_promotions(season, news.promotions, now)
    better = []
    for watch, level, top in zip(watches, news.levels, news.tops, strict=True):
        if (watch.level, watch.top) != (level, top):
            watch.level, watch.top = level, top
            better.append(watch)
    Watch.objects.bulk_create(better, update_conflicts=True, unique_fields=["id"], update_fields=["level", "top"])


def _watched_player(watch: Watch, changed_today: bool) -> WatchedPlayer:
    rating = watch.rating
    before = rating.published_day_ago if changed_today else rating.published_hundredths
    assert rating.published_hundredths is not None  # noqa: S101 - rating_listed_is_published
    return WatchedPlayer(
        player_id=rating.player_id,
        value=rating.published_hundredths,
        value_before=before,
        level=watch.level,
        top=watch.top,
    )
