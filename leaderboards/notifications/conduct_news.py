"""Notices about conduct, each told once: a lockout or ban runs, one has ended, a pardon, a decided appeal …"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from django.db.models import CharField, Count, Exists, Max, OuterRef, Q, QuerySet
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
    RENAMED,
    REOPENED,
    REVIEWED,
    SHOWN,
    STRUCK,
    UNLOCKED,
    UNPARDON,
    UNSTRUCK,
    UNWARNED,
    WARNED,
)
from ranking.models import Appeal, BanAct, Complaint, Incident, Mode, Pardon, Renaming, Strike
from ranking.moderation.conduct_facts import BAN_ACTS, BANS, HIDINGS, RENAMINGS, REOPENINGS, STRIKES, WARNINGS, Facts
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.incidents import find_lapses
from ranking.operations.jobs import run_each
from ranking.rules.conduct import Lapse, Settings, find_lockout, lockout_of

LATELY = dt.timedelta(days=1)  # what ended longer ago is no news any more
_DECIDED = dt.timedelta(days=30)


def tell_conduct_news(now: dt.datetime) -> None:
    """Write the notices to players who have an account. Running it again adds nothing."""
    kinds: dict[str, Callable[[dt.datetime], Iterator[Notice]]] = {
        "lockouts": _lockouts,
        "bans": _bans,
        "pardons": _pardons,
        "appeals": _appeals,
        "revoked pardons": _taken_back,
        "acts on bans": _ban_acts,
        "hidings": partial(_turns, HIDINGS, HIDDEN, SHOWN),
        "renamings": partial(_turns, RENAMINGS, RENAMED, UNLOCKED),
        "strikes": partial(_turns, STRIKES, STRUCK, UNSTRUCK),
        "warnings": partial(_turns, WARNINGS, WARNED, UNWARNED),
        "reports": _reviews,
    }

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
            data = {"kind": running.lapse.kind, "minutes": running.minutes, "until": running.until.isoformat()}
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
    for ban in BANS.begun(now - LATELY).running(now):
        yield _notice(ban.player_id, BANNED, ban.pk, {"scope": ban.scope, "reason": ban.reason}, now)
    ended = Q(lifted_at=None, ends_at__lte=now, ends_at__gt=now - LATELY) | Q(lifted_at__gt=now - LATELY)
    resumed = Count("acts", filter=Q(acts__act=BanAct.RESUME))
    bans: Any = BANS.of_accounts().filter(ended).annotate(times=resumed)
    for ban in bans:
        data = {"scope": ban.scope, "reason": ban.lift_reason}
        yield _notice(ban.player_id, BAN, _occasion(ban.pk, ban.times), data, now)


def _pardons(now: dt.datetime) -> Iterator[Notice]:
    """Yield one notice for all incidents pardoned together. Players who appealed get the notice of their appeal."""
    lately = Pardon.objects.filter(pardoned_at__gt=now - LATELY, lifted_at=None, incident__appeal=None)
    yield from _pardoned_together(lately, PARDON, "pardoned_at", "reason", "incident", now)


def _pardoned_together(
    pardons: QuerySet[Pardon], kind: str, at: str, reason: str, occasion: str, now: dt.datetime
) -> Iterator[Notice]:
    """Yield one notice for the pardons of a player that have the same time and reason, as these fields hold them."""
    groups: Any = pardons.filter(incident__player__user__isnull=False).order_by().values("incident__player", at, reason)
    for group in groups.annotate(incidents=Count("pk"), last=Max(occasion)):
        data = {"incidents": group["incidents"], "reason": group[reason]}
        yield _notice(group["incident__player"], kind, group["last"], data, now)


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
    revoked = Pardon.objects.filter(lifted_at__gt=now - LATELY)
    yield from _pardoned_together(revoked, UNPARDON, "lifted_at", "lift_reason", "pk", now)
    for row in REOPENINGS.begun(now - LATELY).select_related("appeal"):
        yield _notice(row.appeal.player_id, REOPENED, row.pk, {"reason": row.reason}, now)


def _ban_acts(now: dt.datetime) -> Iterator[Notice]:
    for row in BAN_ACTS.begun(now - LATELY).exclude(act=BanAct.LIFT).select_related("ban"):
        data = {"scope": row.ban.scope, "act": row.act, "reason": row.reason}
        yield _notice(row.ban.player_id, BAN_ACT, row.pk, data, now)


def _turns(facts: Facts[Any], told: str, told_lifted: str, now: dt.datetime) -> Iterator[Notice]:
    """Yield a notice of each of these acts that lately came into force, and of each that was lifted."""
    for turn in facts.turns(now - LATELY):
        kind = told_lifted if turn.lifted else told
        yield _notice(turn.player, kind, turn.act.pk, {**_about(turn.act), "reason": turn.reason}, now)


def _about(act: Any) -> dict[str, Any]:
    """The names of a renaming; the season that a strike is about."""
    if isinstance(act, Renaming):
        return {"name": act.name, "former_name": act.former_name, "undone": act.undone}
    if not isinstance(act, Strike):
        return {}
    season = act.rating.season
    return {"season": season.stored_name, "number": season.number, "mode": season.mode.stored_name}


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
