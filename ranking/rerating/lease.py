"""The lease of a mode: one worker at a time holds it, and extends it as long as it is at work.

The run that it is for, a re-rating or the end of a season, begins by taking it, and finishes by rating what was
recorded meanwhile.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from ranking.database import locks
from ranking.database.retries import retried
from ranking.matches.backlog import FEW, rate_recorded
from ranking.models import Mode, Rerating
from ranking.modes.row_locks import lock_modes
from ranking.rerating._order import find_history

LEASE_TIME = dt.timedelta(minutes=2)  # a worker that was silent for this long is dead

Progress = Callable[[int, int], None]  # matches rated so far, and of how many


class LeaseLost(Exception):
    """Another worker has taken up the run, because this one was silent for too long."""


class Lease:
    """A worker's right to work on a run. It ends after LEASE_TIME unless the worker extends it.

    `block`: at most so many steps of history, or ratings, in one of its transactions.
    """

    def __init__(self, rerating: Rerating, progress: Progress, block: int) -> None:
        self.block = block
        self.rerating, self.progress, self.turns = rerating, progress, locks.Turns()

    def extend(self, done: int = 0) -> None:
        """Extend the lease, with `done` more matches rated; raises LeaseLost.

        It is called first in each transaction that writes, so that a worker who lost the lease writes nothing.
        """
        if not self._mine().update(claimed_until=timezone.now() + LEASE_TIME, done=F("done") + done):
            ends = self.rerating.kind == Rerating.SEASON_END
            doing = f"ends the season of {self.rerating.mode}" if ends else f"rates {self.rerating.mode} anew"
            raise LeaseLost(f"Another worker {doing}.")
        self.rerating.done += done
        self.progress(self.rerating.done, self.rerating.total)

    def release(self) -> None:
        self._mine().update(claimed_until=timezone.now())

    def _mine(self) -> QuerySet[Rerating]:
        return Rerating.objects.filter(pk=self.rerating.pk, worker=self.rerating.worker)


def take_lease(mode: Mode) -> Rerating | None:
    """Take the lease of the mode's re-rating, a waiting one or one that another worker left; None if there is none."""
    if (left := take_left(mode, Rerating.RERATING)) is not None:
        return left
    now, worker = timezone.now(), secrets.token_hex(16)
    try:
        taken = _take_waiting(mode, worker, now)
    except IntegrityError:
        return None  # another worker was quicker
    return None if taken is None else Rerating.objects.select_related("mode").get(pk=taken)


def leave_run(mode: Mode, *, since: int | None, reason: str, by: User | None, now: dt.datetime) -> None:
    """Make a re-rating from the sequence `since` on the mode's lease, to be taken up like one that a worker left.

    Inside the caller's transaction, which holds the mode and its row. Nothing is rated before the re-rating is done.
    """
    run = Rerating.objects.create(
        mode=mode, state=Rerating.RUNNING, since=since, reason=reason, by=by, requested_at=now, started_at=now,
        worker=secrets.token_hex(16), claimed_until=now - LEASE_TIME, total=find_history(mode, since or 0).count(),
    )  # fmt: skip
    Mode.objects.filter(pk=mode.pk).update(lease=run)


def take_left(mode: Mode, kind: str) -> Rerating | None:
    """Take the lease of a run of this kind that another worker left; None if there is none."""
    now, worker = timezone.now(), secrets.token_hex(16)
    running = Rerating.objects.filter(mode=mode, kind=kind, state=Rerating.RUNNING)
    if not running.filter(claimed_until__lt=now).update(claimed_until=now + LEASE_TIME, worker=worker):
        return None
    return running.select_related("mode").filter(worker=worker).first()


@retried
@transaction.atomic
def _take_waiting(mode: Mode, worker: str, now: dt.datetime) -> int | None:
    """Make the waiting re-rating the mode's lease; returns its id, or None if none waits or another one runs."""
    locks.hold_mode(mode.slug)  # nobody is rating now, and the history stays as it is until the lease ends
    lock_modes([mode.pk])  # nobody joins the request now, or voids a match
    waiting = Rerating.objects.filter(mode=mode, state=Rerating.WAITING, mode__lease=None).first()
    if waiting is None:
        return None
    waiting.state, waiting.started_at = Rerating.RUNNING, now
    waiting.worker, waiting.claimed_until = worker, now + LEASE_TIME
    waiting.total = find_history(mode, waiting.since or 0).count()
    waiting.save()
    Mode.objects.filter(pk=mode.pk).update(lease=waiting)
    return waiting.pk


def finish_run(run: Rerating, lease: Lease, error: str = "") -> None:
    """Rate what was recorded meanwhile, and end the lease.

    Results may keep coming, so the last round runs under the mode's lock, while nobody can record.
    """
    mode = run.mode
    while rate_recorded(mode, now=timezone.now()) >= FEW:
        lease.extend()
        lease.turns.pause()
    _end(run, lease, error)


@retried
@transaction.atomic
def _end(run: Rerating, lease: Lease, error: str) -> None:
    mode = run.mode
    locks.hold_mode(mode.slug)
    lock_modes([mode.pk])
    lease.extend()
    while rate_recorded(mode, now=timezone.now()):
        pass
    Mode.objects.filter(pk=mode.pk, lease=run).update(lease=None)
    run.state, run.finished_at, run.error = Rerating.DONE, timezone.now(), error
    run.save(update_fields=["state", "finished_at", "error"])
