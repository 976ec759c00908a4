"""Re-rating: a mode's ledger computed anew while the site goes on.

A request waits until a worker takes it up. From then until the end the mode is leased: results are recorded and rated
afterwards, nothing is published, everybody reads the old generation. Then ratings and generation switch together.
A worker may be killed at any moment: the next one drops what was written, or goes on after the switch.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone

from ranking.database import locks
from ranking.evaluation.runs import drop_evaluations
from ranking.matches.backlog import BATCH, rate_recorded
from ranking.models import Change, Event, Mode, NextRating, ParameterVersion, Rerating
from ranking.modes.parameters import check_fits, current_parameters
from ranking.operations.audit import record_act
from ranking.rerating import chronological as chronology
from ranking.rerating.next_ratings import prepare, switch_ratings
from ranking.rerating.order import Versions, recorded_order
from ranking.rerating.replay import Replay, find_history
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

CLAIM = dt.timedelta(minutes=2)  # a worker that was silent for this long is dead
_CLEARED = 5_000  # sequences whose superseded rows are deleted at once
_NEVER = 2**62  # a sequence that no event has
_LONGEST = 200  # characters of a reason

Progress = Callable[[int, int], None]  # matches rated anew, of how many


class LeaseLost(Exception):
    """Another worker has taken the re-rating up, this one having been silent for too long."""


@transaction.atomic
def request_rerating(
    mode: Mode,
    *,
    reason: str,
    now: dt.datetime,
    by: User | None = None,
    since: int | None = None,
    chronological: bool = False,
    system: str = "",
    params: Mapping[str, Any] | None = None,
) -> Rerating:
    """Have a mode rated anew from the sequence `since` on (None = all of it), joined with what already waits.

    `chronological`: by the time of the matches, which gives late ones a new place; the audit log tells of it.
    With `system`, the whole of it under that system with `params`. Raises Refused where it can't rate the mode.
    """
    if system:
        check_fits(get_system(system, params or {}), mode)
        since = None
    Mode.objects.select_for_update(no_key=True).get(pk=mode.pk)
    if chronological:
        record_act("sort", f"{mode.slug} from {since or 0}", by=by, reason=reason, now=now)
    waiting = Rerating.objects.filter(mode=mode, state=Rerating.WAITING).first()
    if waiting is None:
        return Rerating.objects.create(
            mode=mode, since=since, sorted_from=since or 0 if chronological else None, system=system,
            params=dict(params or {}), reason=reason[:_LONGEST], by=by, requested_at=now,
        )  # fmt: skip
    waiting.since = None if since is None or waiting.since is None else min(since, waiting.since)
    if chronological:
        waiting.sorted_from = min(since or 0, _NEVER if waiting.sorted_from is None else waiting.sorted_from)
    if system:
        waiting.system, waiting.params = system, dict(params or {})
    if reason not in waiting.reason:
        waiting.reason = f"{waiting.reason}; {reason}"[:_LONGEST]
    waiting.save()
    return waiting


def find_work() -> list[Mode]:
    """Modes with a re-rating that waits, or that somebody left."""
    left = Q(state=Rerating.RUNNING, claimed_until__lt=timezone.now())
    free = Q(state=Rerating.WAITING, mode__lease=None)
    return list(Mode.objects.filter(pk__in=Rerating.objects.filter(left | free).values("mode")))


def rerate(mode: Mode, *, progress: Progress = lambda done, total: None) -> Rerating | None:
    """Take up the mode's re-rating, if there is one that nobody works on, and bring it to its end.

    Returns it; its `error` says why nothing came of it. Raises Lost.
    """
    rerating = _claim(mode)
    if rerating is None:
        return None
    mode = rerating.mode  # as it is now
    claim = _Lease(rerating, progress)
    try:
        if rerating.switched_at is None:
            _drop_written(mode, claim)
            _compute(rerating, claim)
        while _move(mode, claim):
            claim.turns.pause()
        NextRating.objects.filter(mode=mode).delete()
        _finish(rerating, claim)
    except Refused as refused:
        _abandon(rerating, claim, str(refused))
    except BaseException:
        claim.release()
        raise
    _clear_superseded(Mode.objects.get(pk=mode.pk), claim)
    return rerating


class _Lease:
    """The right to work on a re-rating, which ends unless it is extended: by whoever holds it, and nobody else."""

    def __init__(self, rerating: Rerating, progress: Progress) -> None:
        self.rerating, self.progress, self.turns = rerating, progress, locks.Turns()

    def extend(self, done: int = 0) -> None:
        """Go on, `done` more being rated. Comes first in each transaction that writes: a loser writes nothing."""
        if not self._mine().update(claimed_until=timezone.now() + CLAIM, done=F("done") + done):
            raise LeaseLost(f"Another worker rates {self.rerating.mode} anew.")
        self.rerating.done += done
        self.progress(self.rerating.done, self.rerating.total)

    def release(self) -> None:
        self._mine().update(claimed_until=timezone.now())

    def _mine(self) -> QuerySet[Rerating]:
        return Rerating.objects.filter(pk=self.rerating.pk, worker=self.rerating.worker)


def _claim(mode: Mode) -> Rerating | None:
    """The re-rating that this worker holds from now on."""
    now, worker = timezone.now(), secrets.token_hex(16)
    running = Rerating.objects.filter(mode=mode, state=Rerating.RUNNING)
    if running.filter(claimed_until__lt=now).update(claimed_until=now + CLAIM, worker=worker):
        return running.select_related("mode").filter(worker=worker).first()
    try:
        with transaction.atomic():
            locks.hold_mode(mode.slug)  # nobody is rating: the history is what it is until the lease ends
            waiting = Rerating.objects.filter(mode=mode, state=Rerating.WAITING, mode__lease=None).first()
            if waiting is None:
                return None
            waiting.state, waiting.started_at = Rerating.RUNNING, now
            waiting.worker, waiting.claimed_until = worker, now + CLAIM
            waiting.total = find_history(mode, waiting.since or 0).count()
            waiting.save()
            Mode.objects.filter(pk=mode.pk).update(lease=waiting)
    except IntegrityError:
        return None  # another worker was quicker
    return Rerating.objects.select_related("mode").get(pk=waiting.pk)


def _compute(rerating: Rerating, claim: _Lease) -> None:
    mode = rerating.mode
    with transaction.atomic():
        claim.extend()
        if rerating.system:
            _go_over(rerating)
    since, sorted_from = rerating.since or 0, rerating.sorted_from
    if sorted_from is None:
        course = recorded_order(mode, since)
    else:
        course = chronology.chronological_order(mode, since, sorted_from, claim.extend)
    replay = Replay(mode, since, course, Versions.of(mode, mode.generation + 1, course))
    for _ in replay.blocks(claim.extend):
        claim.turns.pause()
    for _ in prepare(replay, claim.extend):
        claim.turns.pause()
    with transaction.atomic():
        claim.extend()
        locks.hold_mode(mode.slug)
        locks.hold_publishing(mode.slug)
        switch_ratings(mode)
        if sorted_from is not None:
            drop_evaluations(mode, now=timezone.now())
        Mode.objects.filter(pk=mode.pk).update(generation=F("generation") + 1)
        Rerating.objects.filter(pk=rerating.pk).update(switched_at=timezone.now())


def _go_over(rerating: Rerating) -> None:
    """The system that the mode goes over to, in force from the generation that is being written."""
    mode = rerating.mode
    number = ParameterVersion.objects.filter(mode=mode).aggregate(last=Max("number"))["last"] + 1
    event = Event.objects.create(mode=mode, kind=Event.PARAMETERS, happened_at=timezone.now())
    ParameterVersion.objects.create(
        mode=mode, number=number, event=event, system=rerating.system, params=rerating.params,
        retroactive=True, generation=mode.generation + 1,
    )  # fmt: skip


def _drop_written(mode: Mode, claim: _Lease) -> None:
    """Undo what a worker before this one wrote and nobody has read."""
    unread = mode.generation + 1
    for changes in _blocks(mode, claim.rerating.since or 0):
        with transaction.atomic():
            claim.extend()
            changes.filter(generation=unread).delete()
            changes.filter(superseded_in=unread).update(superseded_in=None)
        claim.turns.pause()
    planned = True
    while planned:
        with transaction.atomic():
            claim.extend()
            planned = bool(chronology.forget_places(mode))
        claim.turns.pause()
    with transaction.atomic():
        claim.rerating.refresh_from_db(fields=["done"])
        claim.extend(-claim.rerating.done)
        NextRating.objects.filter(mode=mode).delete()
        for version in ParameterVersion.objects.filter(mode=mode, generation=unread):
            version.delete()
            version.event.delete()


def _move(mode: Mode, claim: _Lease) -> int:
    """What a new order is read in gets its new place in it, some at a time."""
    with transaction.atomic():
        claim.extend()
        return chronology.move_some(mode)


def _finish(rerating: Rerating, claim: _Lease, error: str = "") -> None:
    """Rate all that was recorded meanwhile and end the lease.

    Where results keep coming there is always another: what comes during a last round is rated while nobody records.
    """
    mode = rerating.mode
    while rate_recorded(mode, now=timezone.now()) >= BATCH:
        claim.extend()
        claim.turns.pause()
    with transaction.atomic():
        claim.extend()
        locks.hold_mode(mode.slug)
        while rate_recorded(mode, now=timezone.now()):
            pass
        Mode.objects.filter(pk=mode.pk, lease=rerating).update(lease=None)
        rerating.state, rerating.finished_at, rerating.error = Rerating.DONE, timezone.now(), error
        rerating.save(update_fields=["state", "finished_at", "error"])


def _abandon(rerating: Rerating, claim: _Lease, error: str) -> None:
    """Leave everything as it was, but for what was recorded meanwhile, which is rated."""
    _drop_written(rerating.mode, claim)
    _finish(rerating, claim, error)


def _clear_superseded(mode: Mode, claim: _Lease) -> None:
    """Delete the rows that nobody reads any more."""
    for changes in _blocks(mode, claim.rerating.since or 0):
        changes.filter(superseded_in__lte=mode.generation).delete()
        claim.turns.pause()


def _blocks(mode: Mode, since: int) -> Any:
    """A mode's changes from a sequence on, some sequences at a time."""
    last = Event.objects.filter(mode=mode).aggregate(last=Max("id"))["last"] or 0
    for start in range(since, last + 1, _CLEARED):
        yield Change.objects.filter(mode=mode, event__gte=start, event__lt=start + _CLEARED)


def switch_system(
    mode: Mode, *, system: str, params: Mapping[str, Any], by: User | None, reason: str, now: dt.datetime
) -> Rerating:
    """Go over to another system: the whole history is rated anew under it. Raises Refused."""
    if (current := current_parameters(mode)).system == system and current.params == dict(params):
        raise Refused(f"{mode.slug} is rated by {system} with these parameters already.")
    return request_rerating(mode, reason=reason, now=now, by=by, system=system, params=params)
