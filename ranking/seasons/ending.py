"""Ends a mode's season while the site goes on.

From `ends_at` on the season closes: results that ended before it are rated as ever until `late_until`, and later
results are recorded only. Shortly before that moment the boards are published. Then a worker takes the mode's lease and
goes through three phases:

1. It rates what was recorded only and belongs to the season, and publishes what has changed.
2. In one transaction, which holds the mode, the boards are published for the last time, the season is archived as the
   fact of an event, and the next one opens. So no result can come between the final standings and the end.
3. It rates what has waited for the next season, in order, and ends the lease. Then it writes the table of reset
   ratings that matchmaking uses at first, and seals the archive.

A worker may be killed at any moment: the next one goes on where it stopped, because each transaction leaves a mark.
Boards show the old season until the transaction of phase 2.
"""

from __future__ import annotations

import datetime as dt
import secrets

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from ranking.database import locks
from ranking.database.retries import retried
from ranking.matches.backlog import FEW, rate_recorded
from ranking.matches.records import is_void
from ranking.models import Event, Match, Mode, OutboxEntry, Rerating, Season
from ranking.modes.parameters import current_parameters
from ranking.modes.row_locks import lock_modes
from ranking.modes.season_schedule import scheduled_end
from ranking.operations.outbox import entries_of
from ranking.rerating.lease import LEASE_TIME, Lease, finish_run, take_left
from ranking.seasons.archives import seal, shown_of
from ranking.seasons.dates import close_if_due, lock_current
from ranking.seasons.reset_tables import write_reset_table
from ranking.standings.publishing import publish_ending, publish_final

BLOCK = 1_000
AHEAD = dt.timedelta(seconds=10)  # by which the boards are published before the late window is over


def find_due(now: dt.datetime) -> list[Mode]:
    """Modes whose season has come to its end, and those from AHEAD of the end of its late window on; those whose end a
    dead worker left, or whose archive isn't sealed yet.

    And those with results that waited for the end of a season, which was then moved behind them.
    """
    late = Q(seasons__late_until=None) | Q(seasons__late_until__lte=now + AHEAD)
    ended = Q(late, seasons__current=True, seasons__ends_at__lte=now)
    unsealed = Q(seasons__state=Season.ARCHIVED, seasons__checksum="")
    left = Q(lease__kind=Rerating.SEASON_END, lease__claimed_until__lt=now)
    overtaken = Q(pk__in=_overtaken().values("mode"))
    return list(Mode.objects.filter(ended | unsealed | left | overtaken).distinct().order_by("pk"))


def _overtaken() -> QuerySet[Match]:
    """Results that wait for nothing: their season runs on, because its end was moved after they had come."""
    later = Q(mode__seasons__ends_at=None) | Q(mode__seasons__ends_at__gt=F("ended_at"))
    running = Q(mode__seasons__current=True, mode__seasons__state=Season.RUNNING, mode__lease=None)
    return Match.objects.filter(~is_void(), later, running, event=None)


def end_season(mode: Mode, *, at: dt.datetime | None = None) -> Season | None:
    """Do what is due for the end of a mode's season; returns the season if this call archived it.

    None if its late results are still waited for, a re-rating goes first, or another worker is at it. From AHEAD of the
    end of the late window on, the boards are published. Raises LeaseLost.
    `at`: the moment for which it is done, if a past is played, as the demo's; by default each step's own moment.
    """
    now = at or timezone.now()
    season = close_if_due(mode, now=now)
    run = take_left(mode, Rerating.SEASON_END) or _take_due(mode, now)
    if run is None:
        if season.late_until is not None and season.late_until - AHEAD <= now:
            publish_ending(mode, now=now, since=season.late_until - AHEAD)
        _seal_all(mode)
        while _rate_overtaken(mode):
            pass
        return None
    lease = Lease(run, lambda done, total: None, BLOCK)
    try:
        if run.switched_at is None:
            season = Season.objects.get(mode=mode, current=True)  # it may have begun to close after it was read above
            while rate_recorded(mode, now=timezone.now()) >= FEW:
                lease.extend()
                lease.turns.pause()
            assert season.late_until is not None  # noqa: S101 - it is closing
            publish_ending(mode, now=at or timezone.now(), since=season.late_until - AHEAD)
            season = _open_next(run, lease, at)
        finish_run(run, lease)
    except BaseException:
        lease.release()
        raise
    _seal_all(mode)
    return season if season.state == Season.ARCHIVED else None


@retried
@transaction.atomic
def _take_due(mode: Mode, now: dt.datetime) -> Rerating | None:
    """Take the lease of a mode whose season has waited long enough; None if it hasn't, or a re-rating goes first.

    One that was requested before the late results were in goes first: what it corrects belongs to the final standings.
    Later ones wait, so that they can't put the end off again and again.
    """
    lock_modes([mode.pk])
    stored = Mode.objects.get(pk=mode.pk)
    due = Season.objects.filter(mode=mode, state=Season.CLOSING, late_until__lte=now).first()
    if due is None or stored.lease_id is not None:
        return None
    unrated = Rerating.objects.filter(mode=mode, requested_at__lt=due.late_until).exclude(state=Rerating.DONE)
    if unrated.exists():
        return None
    run = Rerating.objects.create(
        mode=stored, kind=Rerating.SEASON_END, state=Rerating.RUNNING, reason=f"{due.name} ends", requested_at=now,
        started_at=now, worker=secrets.token_hex(16), claimed_until=now + LEASE_TIME,
    )  # fmt: skip
    Mode.objects.filter(pk=mode.pk).update(lease=run)
    return run


@retried
@transaction.atomic
def _open_next(run: Rerating, lease: Lease, at: dt.datetime | None) -> Season:
    """Archive the season, and open the next one."""
    season = lock_current(run.mode)
    locks.hold_publishing(season.mode.slug)
    lease.extend()
    while rate_recorded(season.mode, now=timezone.now()):
        pass
    now = at or timezone.now()
    publish_final(season, now=now)
    season.event = Event.objects.create(mode=season.mode, kind=Event.SEASON_END, happened_at=now)
    OutboxEntry.objects.bulk_create(entries_of([season.event], now))
    season.shown = shown_of(season.mode, current_parameters(season.mode))
    season.state, season.current = Season.ARCHIVED, False
    season.save()
    assert season.ends_at is not None  # noqa: S101 - it was closing
    Season.objects.create(
        mode=season.mode, number=season.number + 1, name=season.name_of_next, names=season.next_names,
        starts_at=season.ends_at,
        ends_at=scheduled_end(season.mode, max(now, season.ends_at)), reset=season.reset,
        reset_factor=season.reset_factor,
    )  # fmt: skip
    Rerating.objects.filter(pk=run.pk).update(switched_at=now, done=F("done"))
    return season


@retried
@transaction.atomic
def _rate_overtaken(mode: Mode) -> bool:
    """Rate some of the results that wait for nothing any more; False if there are none."""
    lock_current(mode)  # so that neither an end nor a re-rating begins meanwhile
    return _overtaken().filter(mode=mode).exists() and rate_recorded(mode, now=timezone.now()) > 0


def _seal_all(mode: Mode) -> None:
    for season in Season.objects.filter(mode=mode, state=Season.ARCHIVED, checksum=""):
        write_reset_table(season)
        seal(season)
