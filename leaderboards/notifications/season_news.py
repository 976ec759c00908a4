"""Announcements of seasons: made once a mode and occasion, shown to the players whom the season lists.

A season's end is announced seven days and one day before, and when it has come, with the next season. Who sees an
announcement is derived when it is read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db.models import BigIntegerField, CharField, Exists, F, Func, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, Concat

from leaderboards.models import Announcement, ReadMark
from leaderboards.notifications.wording import announcement_words, part_words
from ranking.models import Player, Rating, Season, Snapshot
from ranking.seasons.archives import mode_of
from ranking.standings.snapshots import table_at

WEEK, DAY = dt.timedelta(days=7), dt.timedelta(days=1)
NEWS = dt.timedelta(days=1)  # what ended longer ago isn't announced any more
_SHOWN = Q(season__mode__ranked=True, season__ends_at=F("at")) & (
    Q(kind__in=(Announcement.WEEK, Announcement.DAY), season__state=Season.RUNNING)
    | Q(kind=Announcement.OVER, season__state=Season.ARCHIVED)
)


def announce_seasons(now: dt.datetime) -> int:
    """Announce ends of ranked modes' seasons that are near or have come. Return how many announcements were new.

    Older announcements of a mode are deleted when its season is over.
    """
    rows = [*_coming(now), *_over(now)]
    known = Announcement.objects.filter(season__in={row.season_id for row in rows})
    held = set(known.values_list("season", "kind", "at"))
    new = [row for row in rows if (row.season_id, row.kind, row.at) not in held]
    Announcement.objects.bulk_create(new, ignore_conflicts=True)
    for row in new:
        if row.kind == Announcement.OVER:
            earlier = Season.objects.filter(mode=row.season.mode_id, number__lt=row.season.number)
            Announcement.objects.filter(season__in=earlier).delete()
    return len(new)


def _coming(now: dt.datetime) -> Iterator[Announcement]:
    """Yield an announcement of each end that is near. A season says it only if it is twice as long as the notice."""
    near = Season.objects.filter(mode__ranked=True, state=Season.RUNNING, ends_at__gt=now, ends_at__lte=now + WEEK)
    for season in near:
        assert season.ends_at is not None  # noqa: S101 - by the filter
        kind, notice = (Announcement.DAY, DAY) if season.ends_at - now <= DAY else (Announcement.WEEK, WEEK)
        if season.ends_at - season.starts_at >= 2 * notice:
            yield Announcement(season=season, kind=kind, at=season.ends_at, made_at=now)


def _over(now: dt.datetime) -> Iterator[Announcement]:
    """Yield an announcement of each season that is archived since NEWS."""
    ended = Season.objects.filter(mode__ranked=True, state=Season.ARCHIVED, event__happened_at__gt=now - NEWS)
    for season in ended:
        assert season.ends_at is not None  # noqa: S101 - season_closes_at_its_end
        yield Announcement(season=season, kind=Announcement.OVER, at=season.ends_at, made_at=now)


def shown_to(player: Any) -> QuerySet[Announcement, Any]:
    """The announcements that a player may read now; `player`: an id, or an OuterRef of one seen from a rating.

    Of two about one end only the later one is shown.
    """
    of_season = {"mode": OuterRef("season__mode"), "season": OuterRef("season")}
    listed = Rating.objects.filter(**of_season, player=player, listed=True)
    later = Announcement.objects.filter(season=OuterRef("season"), at=OuterRef("at"), kind=Announcement.DAY)
    return Announcement.objects.filter(_SHOWN, Exists(listed)).exclude(Q(kind=Announcement.WEEK) & Exists(later))


def unread_by(player: Any) -> QuerySet[Announcement, Any]:
    """Those of `shown_to` that the player hasn't read."""
    return shown_to(player).exclude(Exists(ReadMark.objects.filter(player=player, announcement=OuterRef("pk"))))


def unread_count() -> Subquery:
    """The number of unread announcements of the player whom the outer query reads; those of one event count as one."""
    unread = unread_by(OuterRef(OuterRef("pk"))).order_by()
    event = Concat("kind", Cast("at", CharField()), output_field=CharField())
    count = Func(event, template="COUNT(DISTINCT %(expressions)s)", output_field=BigIntegerField())
    return Subquery(unread.annotate(rows=count).values("rows"))


def find_announcements(player: Player) -> list[Any]:
    """All announcements that a player may read, each with `read_at` and what `words_about` needs. One query.

    They are few: at most two a mode.
    """
    own = Rating.objects.filter(mode=OuterRef("season__mode"), season=OuterRef("season"), player=player.pk)
    final = Snapshot.objects.filter(
        mode=OuterRef("season__mode"), season=OuterRef("season"), region="", final=True
    ).order_by("-id")
    following = Season.objects.filter(mode=OuterRef("season__mode"), number=OuterRef("season__number") + 1)
    marks = ReadMark.objects.filter(player=player.pk, announcement=OuterRef("pk"))
    rows = shown_to(player.pk).select_related("season__mode")
    return list(
        rows.annotate(
            read_at=Subquery(marks.values("read_at")[:1]),
            following=Subquery(following.values("name")[:1], output_field=CharField()),
            following_names=Subquery(following.values("names")[:1]),
            hundredths=Subquery(own.values("published_hundredths")[:1]),
            final=Subquery(final.values("pk")[:1]),
            final_at=Subquery(final.values("taken_at")[:1]),
        ).order_by("-made_at", "-pk")
    )


def words_about(row: Any) -> str:
    """The sentence of an announcement that `find_announcements` read."""
    data = {"season": row.season.local_name, "following": _name_of_following(row), **final_standing(row)}
    return announcement_words(row.kind, data, row.season.mode.local_name)


def part_words_about(row: Any) -> str:
    """What an announcement says among those of several modes."""
    return part_words({"season": row.season.local_name, **final_standing(row)}, row.season.mode.local_name)


def _name_of_following(row: Any) -> str:
    if row.following is None:
        return ""
    return Season(number=row.season.number + 1, name=row.following, names=row.following_names).local_name


def end_announced(row: Any) -> dt.datetime | None:
    """The end that an announcement says is near; None if the season is over."""
    return row.at if row.kind in (Announcement.WEEK, Announcement.DAY) else None


def final_standing(row: Any) -> dict[str, Any]:
    """Where the player ended the season: rank, number listed, and tier with its looks; empty before it is over."""
    if row.kind != Announcement.OVER or row.final is None or row.hundredths is None:
        return {}
    try:
        table = table_at(row.final, row.final_at, row.season.mode_id)
    except Snapshot.DoesNotExist:  # the end was taken back meanwhile
        return {}
    mode = mode_of(row.season)
    tiers = mode.gives_tiers(len(table)) and row.season.mode.shows_tier
    tier = mode.ladder[table.percentile_of(row.hundredths) - 1] if tiers else None
    looks = {"tier": tier.text, "colour": tier.colour, "emblem": tier.emblem} if tier else {"tier": ""}
    return {"rank": table.rank_of(row.hundredths), "listed": len(table), **looks}


def read_announcements_upto(player: Player, upto: int, *, now: dt.datetime) -> None:
    """Mark as read all announcements that a player sees, up to this id."""
    _mark(player, unread_by(player.pk).filter(pk__lte=upto), now)


def read_announcements(player: Player, pks: Sequence[int], *, now: dt.datetime) -> None:
    """Mark these announcements as read, those that the player sees."""
    _mark(player, unread_by(player.pk).filter(pk__in=pks), now)


def _mark(player: Player, announcements: QuerySet[Announcement, Any], now: dt.datetime) -> None:
    marks = [
        ReadMark(player=player, announcement_id=pk, read_at=now) for pk in announcements.values_list("pk", flat=True)
    ]
    ReadMark.objects.bulk_create(marks, ignore_conflicts=True)


def drop_old(now: dt.datetime) -> int:
    """Delete announcements made more than `NOTICES_KEPT` days ago, with their read marks."""
    old = Announcement.objects.filter(made_at__lt=now - dt.timedelta(days=settings.NOTICES_KEPT))
    return old.delete()[0]
