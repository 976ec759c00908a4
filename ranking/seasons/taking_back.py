"""Takes the end of a mode's season back: the season goes on as though it had never ended.

That is possible until something is rated in the next season. One transaction, which holds the mode alone, makes the
season the current one again, and deletes the next season and the step of history that ended this one; their numbers
count: the sequence is never used again, the season's number is. The audit log and the finished run of the end stay.

While the season was archived, its ratings stood still. What would have changed them meanwhile is made up for: a void or
a re-rating by another re-rating; merges, splits, hidden players and settings of boards at once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from ranking import hooks
from ranking.database import locks
from ranking.database.retries import retried
from ranking.matches.backlog import rate_recorded
from ranking.models import (
    Change,
    Event,
    Forfeit,
    Hiding,
    Match,
    Merge,
    Mode,
    OutboxEntry,
    Rating,
    Rerating,
    Season,
    Seed,
    Snapshot,
    Strike,
)
from ranking.modes.changes import relist_if_changed
from ranking.modes.season_schedule import scheduled_end
from ranking.operations.audit import check_reason, record_act
from ranking.rerating.lease import leave_run
from ranking.seasons.dates import lock_current


class TakingBackRefused(Exception):
    """The end can't be taken back; the message is a sentence for the moderator."""


@dataclass(frozen=True, slots=True)
class TakingBack:
    """What taking back an end would do. `season` runs again; `following`, the next season, would go; it is None while
    the season is still closing. `objection`: why the end can't be taken back; "" if it can.
    """

    season: Season
    following: Season | None
    objection: str


@retried
@transaction.atomic
def take_back_end(
    mode: Mode, *, by: User | None, reason: str, now: dt.datetime, ends_at: dt.datetime | None = None
) -> Season:
    """Take back the last end of a mode's season; returns the season, which runs again.

    `ends_at`: its new end; None: the next date of the mode's schedule, or none without a schedule. Results that waited
    for the next season are rated in this one. Raises TakingBackRefused; ValueError without a reason.
    """
    check_reason(reason)
    if ends_at is not None and ends_at <= now:
        raise TakingBackRefused("The new end has to lie in the future.")
    mode = lock_current(mode).mode
    locks.hold_publishing(mode.slug)
    plan = plan_taking_back(mode)
    if plan.objection:
        raise TakingBackRefused(plan.objection)
    season = plan.season
    record_act("take back end", f"{mode.slug}: {season.name}", by=by, reason=reason, now=now)
    season.ends_at = ends_at or scheduled_end(mode, max(now, season.ends_at or now))
    if plan.following is not None:
        for follow in hooks.CORRECTION_FOLLOWERS.functions():
            follow(season, hooks.REOPENED, now)
        _drop_following(plan.following)
    shown, end = season.shown, season.event
    _reopen(season)
    if end is not None:
        relist_if_changed(mode, shown or {}, now=now)
        _make_up(season, end.happened_at)
        if _is_outdated(season, end.happened_at):
            why = f"{season.name} goes on: its end was taken back"
            leave_run(mode, since=_beginning(season), reason=why, by=by, now=now)
            return season  # what waits is rated when the re-rating is done
    while rate_recorded(mode, now=now):
        pass
    return season


def plan_taking_back(mode: Mode) -> TakingBack:
    """What taking back the last end of a mode's season would do."""
    mode = Mode.objects.select_related("lease").get(pk=mode.pk)
    current = Season.objects.select_related("mode", "event").get(mode=mode, current=True)
    if current.state == Season.CLOSING:
        return TakingBack(current, None, _busy(mode, current))
    ended = Season.objects.select_related("mode", "event").filter(mode=mode, number=current.number - 1).first()
    if ended is None:
        return TakingBack(current, None, f"No season of {mode.name} has ended.")
    return TakingBack(ended, current, _busy(mode, ended) or _rated_in(current) or _struck_from(ended))


def _busy(mode: Mode, season: Season) -> str:
    if mode.lease is None:
        return ""
    if mode.lease.kind == Rerating.SEASON_END:
        return f"{season.name} is being ended at this moment. Try again in a minute."
    return f"{mode.name} is being rated anew at this moment. Try again when that is done."


def _rated_in(season: Season) -> str:
    """Say what was rated in a season first; "" if nothing was."""
    match = Match.objects.filter(season=season).select_related("source").order_by("event").first()
    forfeit = Forfeit.objects.filter(season=season).order_by("event").first()
    if match is not None:
        return f"{season.name} has begun: match {match} has been rated in it."
    if forfeit is not None:
        return f"{season.name} has begun: the forfeit of lobby {forfeit.lobby} has been rated in it."
    if Rating.objects.filter(season=season).exists() or Seed.objects.filter(season=season).exists():
        return f"{season.name} has begun: players have ratings in it."
    return ""


def _struck_from(season: Season) -> str:
    strikes = Strike.objects.filter(rating__season=season, lifted_at=None).select_related("rating__player")
    strike = strikes.order_by("pk").first()
    return f"{strike.rating.player.name} is struck from {season.name}. Lift the strike first." if strike else ""


def _drop_following(following: Season) -> None:
    """Delete the next season and its boards, which nobody is on."""
    Snapshot.objects.filter(season=following).delete()
    following.delete()


def _reopen(season: Season) -> None:
    """Make the season the current one again, and delete the step of history that ended it."""
    end = season.event
    season.state, season.current, season.event, season.late_until = Season.RUNNING, True, None, None
    season.shown, season.checksum = None, ""
    season.save()
    Snapshot.objects.filter(season=season, final=True).update(final=False)  # it stays the newest until the next one
    if end is not None:
        OutboxEntry.objects.filter(event=end).delete()
        Event.objects.filter(pk=end.pk).delete()


def _make_up(season: Season, since: dt.datetime) -> None:
    """Make up for the merges, splits and hidden players that the archive has left out since it was made."""
    _give_ratings(season, since)
    ratings = Rating.objects.filter(mode=season.mode_id, season=season)
    unlisted = Q(player__hidden_at__isnull=False) | Q(player__is_bot=True)
    ratings.filter(unlisted, listed=True).update(to_publish=True)
    shown = Hiding.objects.filter(lifted_at__gte=since).values("player")
    split = Merge.objects.filter(lifted_at__gte=since).values("merged")
    ratings.filter(Q(player__in=shown) | Q(player__in=split)).update(to_publish=True)


def _give_ratings(season: Season, since: dt.datetime) -> None:
    """Give the ratings that stayed in the archive to those who have its rows of the ledger by merges and splits."""
    merges = Merge.objects.filter(Q(merged_at__gte=since) | Q(lifted_at__gte=since)).order_by("merged_at", "pk")
    for one_person in _joined(merges.values_list("kept", "merged")):
        own = Change.objects.live().filter(season=season, player__in=one_person)
        owners = set(own.order_by().values_list("player", flat=True))
        ratings = dict(
            Rating.objects.filter(season=season, player__in=one_person).order_by("pk").values_list("player", "pk")
        )
        free = [pk for player, pk in ratings.items() if player not in owners]
        for player, pk in zip(sorted(owners - ratings.keys()), free, strict=False):
            Rating.objects.filter(pk=pk).update(player=player, to_publish=True)


def _joined(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The sets of those who are joined by these pairs, directly or by others."""
    sets: list[set[int]] = []
    for pair in pairs:
        touched = [one for one in sets if not one.isdisjoint(pair)]
        sets = [one for one in sets if one.isdisjoint(pair)] + [set(pair).union(*touched)]
    return sets


def _is_outdated(season: Season, since: dt.datetime) -> bool:
    """True if the mode was rated anew while the season was archived: its ratings aren't what the ledger says."""
    return Rerating.objects.filter(mode=season.mode_id, kind=Rerating.RERATING, switched_at__gte=since).exists()


def _beginning(season: Season) -> int | None:
    """The sequence from which the season is rated anew: that of the end before it; None for the first season."""
    earlier = Season.objects.filter(mode=season.mode_id, number__lt=season.number).order_by("-number")
    return earlier.values_list("event", flat=True).first()
