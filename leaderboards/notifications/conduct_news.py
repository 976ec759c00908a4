"""Notices about conduct, each told once: a lockout or ban runs, one has ended, a pardon, a decided appeal …"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from django.db.models import CharField, Count, Exists, Max, OuterRef, Q
from django.db.models.functions import Cast

from leaderboards.models import Notice
from leaderboards.notifications.notices import tell
from leaderboards.notifications.wording import (
    APPEAL,
    BAN,
    BAN_ACT,
    BANNED,
    HIDDEN,
    LOCKED,
    LOCKOUT,
    PARDON,
    REOPENED,
    REVIEWED,
    SHOWN,
    STRUCK,
    UNPARDON,
    UNSTRUCK,
    UNWARNED,
    WARNED,
)
from ranking.models import (
    Appeal,
    Ban,
    BanAct,
    Complaint,
    Hiding,
    Incident,
    Mode,
    Pardon,
    PlayerWarning,
    Reopening,
    Strike,
)
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.incidents import find_lapses
from ranking.operations.jobs import run_each
from ranking.rules.conduct import Lapse, Settings, find_lockout, lockout_of

LATELY = dt.timedelta(days=1)  # what ended longer ago is no news any more
_DECIDED = dt.timedelta(days=30)


def tell_conduct_news(now: dt.datetime) -> None:
    """Write the notices to players who have an account. Running it again adds nothing."""
    kinds = {
        "lockouts": _lockouts, "bans": _bans, "pardons": _pardons, "appeals": _appeals, "revoked pardons": _taken_back,
        "acts on bans": _ban_acts, "hidings": _hidings, "strikes": _strikes, "warnings": _warnings, "reports": _reviews,
    }  # fmt: skip

    def find_news(kind: str) -> list[Notice]:
        return list(kinds[kind](now))

    tell([notice for news in run_each(kinds, find_news, "The news of %s couldn't be found.") for notice in news])


def _lockouts(now: dt.datetime) -> Iterator[Notice]:
    """Yield a notice of each player's lockout that runs, and of the last that ended if nothing else bars the player."""
    since = now - LATELY - _longest()
    lately = Incident.objects.counting().filter(happened_at__gt=since, player__user__isnull=False)
    lapses = find_lapses(set(lately.order_by().values_list("player", flat=True)), now)
    for player, own in lapses.items():
        if (running := find_lockout(own, now)) is not None:
            length = round((running.until - running.since) / dt.timedelta(minutes=1))
            data = {"kind": running.lapse.kind, "minutes": length, "until": running.until.isoformat()}
            yield _notice(player, LOCKED, running.lapse.id, data, now)
    ended = {player: last for player, own in lapses.items() if (last := _last_ended(own, since, now))}
    notices = Notice.objects.filter(player__in=ended, kind=LOCKOUT)
    known = set(notices.values_list("player", "occasion"))
    news = {player: lapse for player, lapse in ended.items() if (player, str(lapse.id)) not in known}
    restrictions = find_restrictions(news, now) if news else {}
    for player, lapse in news.items():
        if player not in restrictions:
            yield _notice(player, LOCKOUT, lapse.id, {}, now)


def _longest() -> dt.timedelta:
    """The longest lockout of any mode."""
    settings = run_each(Mode.objects.all(), _settings_of, "The lockouts of %s can't be read.", attrgetter("slug"))
    minutes = [max((*row.missed_minutes, *(step[1] for step in row.lockouts))) for row in settings]
    return dt.timedelta(minutes=max(minutes, default=0))


def _settings_of(mode: Mode) -> Settings:
    return mode.conduct_settings


def _last_ended(lapses: list[Lapse], since: dt.datetime, now: dt.datetime) -> Lapse | None:
    lockouts = [lockout_of(lapse, lapses) for lapse in lapses if since < lapse.at <= now]
    ended = [lock for lock in lockouts if lock.until > lock.since and now - LATELY < lock.until <= now]
    return max(ended, key=lambda lock: lock.until).lapse if ended else None


def _bans(now: dt.datetime) -> Iterator[Notice]:
    """Yield a notice of each ban that began lately and runs, and of each that has ended."""
    begun = Ban.objects.running(now).filter(starts_at__gt=now - LATELY, player__user__isnull=False)
    for ban in begun.order_by("id"):
        yield _notice(ban.player_id, BANNED, ban.pk, {"scope": ban.scope, "reason": ban.reason}, now)
    ended = Q(lifted_at=None, ends_at__lte=now, ends_at__gt=now - LATELY) | Q(lifted_at__gt=now - LATELY)
    bans: Any = Ban.objects.filter(ended, player__user__isnull=False)
    resumed = Count("acts", filter=Q(acts__act=BanAct.RESUME))
    for ban in bans.annotate(times=resumed).order_by("id"):
        data = {"scope": ban.scope, "reason": ban.lift_reason}
        yield _notice(ban.player_id, BAN, _occasion(ban.pk, ban.times), data, now)


def _pardons(now: dt.datetime) -> Iterator[Notice]:
    """Yield one notice for all incidents pardoned together. Players who appealed get the notice of their appeal."""
    lately = Pardon.objects.filter(
        pardoned_at__gt=now - LATELY, lifted_at=None, incident__player__user__isnull=False, incident__appeal=None
    )
    groups: Any = lately.order_by().values("incident__player", "pardoned_at", "reason")
    for group in groups.annotate(incidents=Count("pk"), last=Max("incident")):
        data = {"incidents": group["incidents"], "reason": group["reason"]}
        yield _notice(group["incident__player"], PARDON, group["last"], data, now)


def _appeals(now: dt.datetime) -> Iterator[Notice]:
    notice = Notice.objects.filter(player=OuterRef("player"), kind=APPEAL, occasion=Cast(OuterRef("pk"), CharField()))
    decided = Appeal.objects.filter(decided_at__gt=now - _DECIDED, player__user__isnull=False)
    decided = decided.exclude(decision=Appeal.WITHDRAWN).annotate(times=Count("reopenings"))
    for appeal in decided.filter(~Exists(notice) | Q(times__gt=0)).order_by("id"):
        granted, against = appeal.decision == Appeal.GRANTED, "lockout" if appeal.ban_id is None else "ban"
        data = {"granted": granted, "against": against, "answer": appeal.answer}
        yield _notice(appeal.player_id, APPEAL, _occasion(appeal.pk, appeal.times), data, now)


def _taken_back(now: dt.datetime) -> Iterator[Notice]:
    """Yield one notice for all pardons taken back together, and one for each appeal that is open again."""
    pardons = Pardon.objects.filter(lifted_at__gt=now - LATELY, incident__player__user__isnull=False)
    groups: Any = pardons.order_by().values("incident__player", "lifted_at", "lift_reason")
    for group in groups.annotate(incidents=Count("pk"), last=Max("pk")):
        data = {"incidents": group["incidents"], "reason": group["lift_reason"]}
        yield _notice(group["incident__player"], UNPARDON, group["last"], data, now)
    reopened = Reopening.objects.filter(reopened_at__gt=now - LATELY, appeal__player__user__isnull=False)
    for row in reopened.select_related("appeal").order_by("id"):
        yield _notice(row.appeal.player_id, REOPENED, row.pk, {"reason": row.reason}, now)


def _ban_acts(now: dt.datetime) -> Iterator[Notice]:
    acts = BanAct.objects.filter(at__gt=now - LATELY, ban__player__user__isnull=False).exclude(act=BanAct.LIFT)
    for row in acts.select_related("ban").order_by("id"):
        data = {"scope": row.ban.scope, "act": row.act, "reason": row.reason}
        yield _notice(row.ban.player_id, BAN_ACT, row.pk, data, now)


def _hidings(now: dt.datetime) -> Iterator[Notice]:
    lately = Q(hidden_at__gt=now - LATELY) | Q(lifted_at__gt=now - LATELY)
    for row in Hiding.objects.filter(lately, player__user__isnull=False).order_by("id"):
        if row.hidden_at > now - LATELY:
            yield _notice(row.player_id, HIDDEN, row.pk, {"reason": row.reason}, now)
        if row.lifted_at is not None:
            yield _notice(row.player_id, SHOWN, row.pk, {"reason": row.lift_reason}, now)


def _strikes(now: dt.datetime) -> Iterator[Notice]:
    lately = Q(struck_at__gt=now - LATELY) | Q(lifted_at__gt=now - LATELY)
    rows = Strike.objects.filter(lately, rating__player__user__isnull=False).select_related("rating__season__mode")
    for row in rows.order_by("id"):
        season = row.rating.season
        about = {"season": season.stored_name, "number": season.number, "mode": season.mode.stored_name}
        if row.struck_at > now - LATELY:
            yield _notice(row.rating.player_id, STRUCK, row.pk, {**about, "reason": row.reason}, now)
        if row.lifted_at is not None:
            yield _notice(row.rating.player_id, UNSTRUCK, row.pk, {**about, "reason": row.lift_reason}, now)


def _warnings(now: dt.datetime) -> Iterator[Notice]:
    lately = Q(warned_at__gt=now - LATELY) | Q(lifted_at__gt=now - LATELY)
    for row in PlayerWarning.objects.filter(lately, player__user__isnull=False).order_by("id"):
        if row.warned_at > now - LATELY:
            yield _notice(row.player_id, WARNED, row.pk, {"reason": row.reason}, now)
        if row.lifted_at is not None:
            yield _notice(row.player_id, UNWARNED, row.pk, {"reason": row.lift_reason}, now)


def _reviews(now: dt.datetime) -> Iterator[Notice]:
    """Tell each reporter once of a case that was reviewed, whatever came out."""
    reviewed = Complaint.objects.filter(case__reviewed_at__gt=now - LATELY, reporter__user__isnull=False)
    for player, case in reviewed.order_by("case", "reporter").values_list("reporter", "case").distinct():
        yield _notice(player, REVIEWED, case, {}, now)


def _occasion(pk: int, times: int) -> str:
    """The first time the number alone, as earlier versions wrote it; another one if it happens again."""
    return f"{pk}-{times}" if times else str(pk)


def _notice(player: int, kind: str, occasion: int | str, data: dict[str, Any], now: dt.datetime) -> Notice:
    return Notice(player_id=player, kind=kind, occasion=str(occasion), data=data, created_at=now)
