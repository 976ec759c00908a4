"""Notices to players: written once an occasion, shown on the player's page, marked as read, deleted when old.

Only players who have an account get notices. Announcements of seasons stand among them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from leaderboards.models import Announcement, Notice
from leaderboards.notifications.season_news import (
    end_announced,
    final_standing,
    find_announcements,
    part_words_about,
    unread_count,
    words_about,
)
from leaderboards.notifications.wording import (
    CONDUCT,
    LOCKED,
    LOCKOUT,
    RANK,
    REVIEWED,
    TIER,
    TOP,
    TOPICS,
    WARNED,
    WORDS,
    event_words,
    words_of,
)
from leaderboards.rules.achievements import BY_KEY
from ranking.database.keyset import Order
from ranking.models import Player

PAGE = 20
NOTICE, ANNOUNCEMENT = "notice", "announcement"
ORDER = Order((("id", "whole"),), descending=True)
_OWN_SIGN = (LOCKED, LOCKOUT, WARNED, REVIEWED)  # notices of conduct without the scales
_UNREAD_FOR = 4  # unread notices are kept so many times as long as read ones
_DROPPED_AT_ONCE = 5_000
# A notice is hidden if its mode doesn't show (any more) what the notice tells.
_SHOWN = (
    (Q(mode=None) | Q(mode__ranked=True))
    & ~Q(kind=TIER, mode__shows_tier=False)
    & ~Q(kind=TOP, mode__shows_percentile=False)
)


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """A notice or announcement as people read it, with the icon beside it and the address that it links to.

    `field`: under which name a form says that the row `pk` is read. `ends_at`: the moment that the words are about.
    `emblem`: that of the tier reached, else empty. `medal`: the rank of one of the first three of a season, else 0.
    `parts`: a line for each mode, if seasons of several modes end at one moment; `also`: the rows of the form's field
    that are read with `pk`.
    """

    field: str
    pk: int
    kind: str
    words: str
    sign: str
    href: str
    at: dt.datetime
    unread: bool
    colour: str = ""
    ends_at: dt.datetime | None = None
    emblem: str = ""
    medal: int = 0
    parts: Sequence[NoticeLine] = ()
    also: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class NoticePage:
    """A page of notices, with the announcements of the same time.

    `next`: the cursor of the page with older ones; `unread`: how many are unread on all pages.
    """

    lines: list[NoticeLine]
    next: str
    unread: int

    @property
    def days(self) -> list[tuple[dt.date, list[NoticeLine]]]:
        """The lines of each day in the reader's zone, newest first."""
        return [(day, list(lines)) for day, lines in groupby(self.lines, lambda line: timezone.localdate(line.at))]

    @property
    def newest_notice(self) -> int:
        return max((line.pk for line in self.lines if line.field == NOTICE), default=0)

    @property
    def newest_announcement(self) -> int:
        return max((pk for line in self.lines if line.field == ANNOUNCEMENT for pk in (line.pk, *line.also)), default=0)


def tell(notices: Sequence[Notice]) -> None:
    """Save those notices whose player has an account, but not about topics that the player turned off.

    A notice that the player already has isn't saved again.
    """
    players = {notice.player_id for notice in notices}
    if not players:
        return
    readers = Player.objects.filter(pk__in=players, user__isnull=False).values_list("pk", "muted_topics__topic")
    unwanted: dict[int, set[str]] = {}
    for player, topic in readers:
        unwanted.setdefault(player, set()).update(TOPICS[topic][1] if topic else ())
    wanted = [
        notice for notice in notices if notice.player_id in unwanted and notice.kind not in unwanted[notice.player_id]
    ]
    Notice.objects.bulk_create(wanted, ignore_conflicts=True)


def replace_ranks(notices: Sequence[Notice]) -> None:
    """Delete unread notices of today's rank moves for which `notices` holds newer ones."""
    ranks = [notice for notice in notices if notice.kind == RANK]
    if ranks:
        players, occasions = {notice.player_id for notice in ranks}, {notice.occasion for notice in ranks}
        older = Notice.objects.filter(player__in=players, kind=RANK, occasion__in=occasions, read_at=None)
        older.delete()


def notices_of(player: Player) -> QuerySet[Notice]:
    """The notices that a player may read now."""
    return Notice.objects.filter(_SHOWN, player=player, kind__in=WORDS)


def with_unread(players: QuerySet[Player]) -> QuerySet[Player]:
    """These players with `unread`, the number of their unread notices and announcements, in the same statement."""
    unread = Notice.objects.filter(_SHOWN, player=OuterRef("pk"), kind__in=WORDS, read_at=None).order_by()
    counted = unread.values("player").annotate(rows=Count("pk")).values("rows")
    return players.annotate(unread=Coalesce(Subquery(counted), 0) + Coalesce(unread_count(), 0))


def unread_of(player: Player) -> int:
    """How many notices and announcements a player hasn't read. No query if `with_unread` loaded the player."""
    known: int | None = getattr(player, "unread", None)
    if known is not None:
        return known
    counted: Any = with_unread(Player.objects.filter(pk=player.pk)).get()
    return int(counted.unread)


def load_page(player: Player, cursor: str = "") -> NoticePage:
    """Load a page of notices and announcements, newest first: two queries. Raises BadCursor."""
    rows = notices_of(player).select_related("mode").order_by("-id")
    if cursor:
        rows = rows.filter(ORDER.after(cursor))
    notices = list(rows[: PAGE + 1])
    page, following = notices[:PAGE], notices[PAGE:]
    lines = [_line(notice, player) for notice in page]
    # An announcement stands on the page of the notices between which it was made.
    since, until = following[0].created_at if following else None, page[0].created_at if cursor and page else None
    lines += [
        line
        for line in _event_lines(player)
        if (since is None or line.at > since) and (until is None or line.at <= until)
    ]
    lines.sort(key=lambda line: (line.at, line.kind == Announcement.OVER), reverse=True)  # of one moment, ends first
    return NoticePage(lines, ORDER.cursor_of(page[-1]) if following else "", unread_of(player))


def read_notices(player: Player, *, upto: int, now: dt.datetime) -> int:
    """Mark as read all of a player's notices up to this id. Returns how many were unread."""
    return Notice.objects.filter(player=player, pk__lte=upto, read_at=None).update(read_at=now)


def read_notice(player: Player, pk: int, *, now: dt.datetime) -> bool:
    """Mark one notice as read. False if it isn't the player's, or was read before."""
    return bool(Notice.objects.filter(player=player, pk=pk, read_at=None).update(read_at=now))


def drop_old(now: dt.datetime) -> int:
    """Delete notices read more than `NOTICES_KEPT` days ago, and unread ones four times as old."""
    kept = dt.timedelta(days=settings.NOTICES_KEPT)
    read = Notice.objects.filter(read_at__lt=now - kept)
    stale = Notice.objects.filter(read_at=None, created_at__lt=now - _UNREAD_FOR * kept)
    return _drop(read) + _drop(stale)


def _drop(notices: QuerySet[Notice]) -> int:
    """Delete in batches of some thousand rows, so that no lock lasts long."""
    dropped = 0
    while ids := list(notices.order_by().values_list("pk", flat=True)[:_DROPPED_AT_ONCE]):
        dropped += Notice.objects.filter(pk__in=ids).delete()[0]
    return dropped


def _line(notice: Notice, player: Player) -> NoticeLine:
    mode = notice.mode
    query = f"?mode={mode.slug}" if mode is not None else ""
    page = reverse("leaderboards:player", args=[player.key]) + query
    if notice.kind == RANK and mode is not None:
        page = reverse("leaderboards:board", args=[mode.slug], query={"around": player.key})
    if notice.kind in CONDUCT:
        page = reverse("leaderboards:conduct")
    words = words_of(notice.kind, notice.data, mode.local_name if mode else "")
    return NoticeLine(
        NOTICE, notice.pk, notice.kind, words, _sign_of(notice), page, notice.created_at, notice.read_at is None,
        colour=notice.data.get("colour", ""), emblem=notice.data.get("emblem", ""),
        ends_at=dt.datetime.fromisoformat(notice.data["until"]) if notice.kind == LOCKED else None,
    )  # fmt: skip


def _event_lines(player: Player) -> list[NoticeLine]:
    """A line for each event that is announced: what happens in several modes at one moment is one event. One query."""
    events: dict[tuple[str, dt.datetime], list[Any]] = {}
    for row in find_announcements(player):
        events.setdefault((row.kind, row.at), []).append(row)
    return [_event_line(rows, player) for rows in events.values()]


def _event_line(rows: Sequence[Any], player: Player) -> NoticeLine:
    if len(rows) == 1:
        return _announcement_line(rows[0], player)
    ordered = sorted(rows, key=lambda row: row.season.mode.name)
    parts = [replace(_announcement_line(row, player), words=part_words_about(row), ends_at=None) for row in ordered]
    first, medals = rows[0], [part.medal for part in parts if part.medal]
    return NoticeLine(
        ANNOUNCEMENT, first.pk, first.kind, event_words(first.kind, len(rows)), "season", "",
        max(row.made_at for row in rows), any(part.unread for part in parts),
        ends_at=end_announced(first), medal=min(medals, default=0), parts=parts, also=[row.pk for row in rows[1:]],
    )  # fmt: skip


def _announcement_line(row: Any, player: Player) -> NoticeLine:
    """The line of an announcement. The end of a season links to the player's place on its board."""
    query = {"season": row.season.number, "around": player.key} if row.kind == Announcement.OVER else {}
    board = reverse("leaderboards:board", args=[row.season.mode.slug], query=query)
    standing = final_standing(row)
    rank = standing.get("rank", 0)
    return NoticeLine(
        ANNOUNCEMENT, row.pk, row.kind, words_about(row), "season", board, row.made_at, row.read_at is None,
        colour=standing.get("colour", ""), emblem=standing.get("emblem", ""), medal=rank if rank <= 3 else 0,
        ends_at=end_announced(row),
    )  # fmt: skip


def _sign_of(notice: Notice) -> str:
    """The icon's name: an achievement's series, a rank's direction, scales for a moderator's act, else the kind."""
    match notice.kind:
        case "achievement":
            return BY_KEY[notice.data["feat"]].series
        case "rank":
            return "up" if notice.data["by"] > 0 else "down"
        case kind if kind in CONDUCT and kind not in _OWN_SIGN:
            return "scales"
        case kind:
            return kind
