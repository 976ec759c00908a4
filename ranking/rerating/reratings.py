"""Re-rates a mode: computes its ledger anew while the site goes on.

A request waits until a worker takes it up. From then until the end the mode is leased: results are recorded now and
rated afterwards, nothing is published, and everybody reads the old generation. Then ratings and generation switch
together. A worker may be killed at any moment. The next one deletes what was written, or goes on after the switch.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import (
    Change,
    EvaluationRun,
    Event,
    Mode,
    ModeState,
    NextRating,
    ParameterVersion,
    Rerating,
    ResetTable,
)
from ranking.modes.administration import parameter_changes
from ranking.modes.mode_states import forget_lessons
from ranking.modes.parameters import check_fits, current_parameters, find_versions, stored_params, system_of
from ranking.modes.row_locks import lock_modes
from ranking.operations.audit import record_act, record_changes
from ranking.rerating import _next_ratings as next_ratings
from ranking.rerating._next_ratings import prepare
from ranking.rerating._order import Versions, chronological_order, forget_places, move_some, recorded_order
from ranking.rerating._replay import BLOCK, Replay
from ranking.rerating.lease import Lease, Progress, finish_run, take_lease
from ranking.rerating.missing_places import fill_places
from ranking.rerating.mode_states import Learning, learning_of
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

_CLEARED = 1_000  # sequences in a block of changes
_LONGEST = 200  # characters of a reason


@retried
@transaction.atomic
def request_rerating(
    mode: Mode,
    *,
    reason: str,
    now: dt.datetime,
    by: User | None = None,
    since: int | None = None,
    chronological: bool = False,
    learn_anew: bool = False,
    system: str = "",
    params: Mapping[str, object] | None = None,
) -> Rerating:
    """Request that a mode is rated anew from the sequence `since` on; None is the whole history.

    The request is joined with one that already waits. `chronological`: rate in the order of time, which gives late
    matches a new place; the audit log notes it. `learn_anew`: a system that learns about the mode forgets what it has
    learnt, and learns from the results as they are now. `system`: rate the whole history under this system with
    `params`; raises Refused if it can't rate the mode.
    """
    if system:
        check_fits(get_system(system, params or {}), mode)
        since = None
    lock_modes([mode.pk])
    if chronological:
        record_act("sort", f"{mode.slug} from {since or 0}", by=by, reason=reason, now=now)
    sorted_from = since or 0 if chronological else None
    if learn_anew and sorted_from is None and system_of(current_parameters(mode)).learns:
        sorted_from = Rerating.NEVER  # every step keeps its place
    waiting = Rerating.objects.filter(mode=mode, state=Rerating.WAITING).first()
    if waiting is None:
        return Rerating.objects.create(
            mode=mode, since=since, sorted_from=sorted_from, system=system,
            params=dict(params or {}), reason=reason[:_LONGEST], by=by, requested_at=now,
        )  # fmt: skip
    waiting.since = None if since is None or waiting.since is None else min(since, waiting.since)
    if sorted_from is not None:
        waiting.sorted_from = min(sorted_from, Rerating.NEVER if waiting.sorted_from is None else waiting.sorted_from)
    if system:
        waiting.system, waiting.params = system, dict(params or {})
    if reason not in waiting.reason:
        waiting.reason = f"{waiting.reason}; {reason}"[:_LONGEST]
    waiting.save()
    return waiting


def is_rerating_due(mode: Mode) -> bool:
    """True if a re-rating of the mode waits or runs."""
    states = (Rerating.WAITING, Rerating.RUNNING)
    return Rerating.objects.filter(mode=mode, kind=Rerating.RERATING, state__in=states).exists()


def find_work() -> list[Mode]:
    """Modes with a re-rating that waits, or that a dead worker left."""
    left = Q(kind=Rerating.RERATING, state=Rerating.RUNNING, claimed_until__lt=timezone.now())
    free = Q(state=Rerating.WAITING, mode__lease=None)
    return list(Mode.objects.filter(pk__in=Rerating.objects.filter(left | free).values("mode")))


def rerate(mode: Mode, *, progress: Progress = lambda done, total: None, block: int = BLOCK) -> Rerating | None:
    """Take up the mode's re-rating, if there is one that nobody works on, and finish it.

    `block`: at most so many steps of history, or ratings, in one transaction. Return the re-rating, or None; its
    `error` says why it was abandoned. Raises LeaseLost.
    """
    rerating = take_lease(mode)
    if rerating is None:
        return None
    mode = rerating.mode  # read just now
    lease = Lease(rerating, progress, block)
    try:
        if rerating.switched_at is None:
            _drop_written(mode, lease)
            _compute(rerating, lease)
        while _move(mode, lease):
            lease.turns.pause()
        NextRating.objects.filter(mode=mode).delete()
        finish_run(rerating, lease)
    except Refused as refused:
        _abandon(rerating, lease, str(refused))
    except BaseException:
        lease.release()
        raise
    _clear_superseded(Mode.objects.get(pk=mode.pk), lease)
    return rerating


def _compute(rerating: Rerating, lease: Lease) -> None:
    mode = rerating.mode
    with transaction.atomic():
        lease.extend()
        if rerating.system:
            _write_new_system(rerating)
        versions = find_versions(mode, mode.generation + 1) if rerating.learns_anew else []
        if any(system_of(version).learns for version in versions):
            rerating.since = None  # learning begins with the first match
            rerating.save(update_fields=["since"])
    since, sorted_from = rerating.since or 0, rerating.sorted_from
    fill_places(mode, since, lease.extend)
    if sorted_from is None:
        order = recorded_order(mode, since)
    else:
        order = chronological_order(mode, since, sorted_from, lease.extend, lease.block)
    in_force = Versions.of(mode, mode.generation + 1, order)
    learning = learning_of(in_force, mode.generation + 1, anew=rerating.learns_anew)
    replay = Replay(mode, since, order, in_force, learning)
    for _ in replay.blocks(lease.extend, lease.block):
        lease.turns.pause()
    for _ in prepare(replay, lease.extend, min(lease.block, next_ratings.BLOCK)):
        lease.turns.pause()
    _switch(rerating, lease, learning)


@retried
@transaction.atomic
def _switch(rerating: Rerating, lease: Lease, learning: Learning) -> None:
    """Have everybody read the new generation."""
    mode = rerating.mode
    locks.hold_mode(mode.slug)
    lock_modes([mode.pk])
    locks.hold_publishing(mode.slug)
    lease.extend()
    next_ratings.switch_ratings(mode)
    if rerating.system:
        ResetTable.objects.filter(season__mode=mode).update(table=None)  # it is in the old system's ratings
    learning.finish()
    if rerating.learns_anew:
        forget_lessons(mode)
    if rerating.sorted_from is not None:
        why = "The history was put in another order meanwhile; ask again."  # evaluations have read the old one
        EvaluationRun.objects.filter(mode=mode).end(EvaluationRun.FAILED, timezone.now(), error=why)
    Mode.objects.filter(pk=mode.pk).update(generation=F("generation") + 1)
    Rerating.objects.filter(pk=rerating.pk).update(switched_at=timezone.now())


def _write_new_system(rerating: Rerating) -> None:
    """Write the mode's new system as a version of parameters that counts from the next generation on."""
    mode = rerating.mode
    number = ParameterVersion.objects.filter(mode=mode).aggregate(last=Max("number"))["last"] + 1
    event = Event.objects.create(mode=mode, kind=Event.PARAMETERS, happened_at=timezone.now())
    ParameterVersion.objects.create(
        mode=mode, number=number, event=event, system=rerating.system,
        params=stored_params(rerating.system, rerating.params), retroactive=True, generation=mode.generation + 1,
    )  # fmt: skip


def _drop_written(mode: Mode, lease: Lease) -> None:
    """Undo what an earlier worker wrote and nobody has read."""
    unread = mode.generation + 1
    for changes in _blocks(mode, lease.rerating.since or 0):
        with transaction.atomic():
            lease.extend()
            changes.filter(generation=unread).delete()
            changes.filter(superseded_in=unread).update(superseded_in=None)
        lease.turns.pause()
    planned = True
    while planned:
        with transaction.atomic():
            lease.extend()
            planned = bool(forget_places(mode, lease.block))
        lease.turns.pause()
    with transaction.atomic():
        lease.rerating.refresh_from_db(fields=["done"])
        lease.extend(-lease.rerating.done)
        NextRating.objects.filter(mode=mode).delete()
        ModeState.objects.filter(parameters__mode=mode, generation=unread).delete()
        for version in ParameterVersion.objects.filter(mode=mode, generation=unread):
            version.delete()
            version.event.delete()


def _move(mode: Mode, lease: Lease) -> int:
    """Move a block of steps to their new places, if the history got a new order; return how many."""
    with transaction.atomic():
        lease.extend()
        return move_some(mode, lease.block)


def _abandon(rerating: Rerating, lease: Lease, error: str) -> None:
    """Restore everything as it was, and rate what was recorded meanwhile."""
    _drop_written(rerating.mode, lease)
    finish_run(rerating, lease, error)


def _clear_superseded(mode: Mode, lease: Lease) -> None:
    """Delete the ledger's rows that nobody reads any more."""
    for changes in _blocks(mode, lease.rerating.since or 0):
        changes.filter(superseded_in__lte=mode.generation).delete()
        lease.turns.pause()


def _blocks(mode: Mode, since: int) -> Any:
    """Yield a mode's changes from a sequence on, a block of sequences at a time."""
    last = Event.objects.filter(mode=mode).aggregate(last=Max("id"))["last"] or 0
    for start in range(since, last + 1, _CLEARED):
        yield Change.objects.filter(mode=mode, event__gte=start, event__lt=start + _CLEARED)


@retried
@transaction.atomic
def rate_anew(
    mode: Mode,
    *,
    reason: str,
    now: dt.datetime,
    by: User | None,
    since: int | None = None,
    chronological: bool = False,
    **system: Any,
) -> Rerating:
    """Request a re-rating that somebody wishes for its own sake, as request_rerating does; the audit log notes it."""
    if not chronological:  # else request_rerating notes it
        record_act("rate anew", f"{mode.slug} from {since or 0}", by=by, reason=reason, now=now)
    how: dict[str, Any] = {"since": since, "chronological": chronological, **system}
    return request_rerating(mode, reason=reason, now=now, by=by, **how)


@retried
@transaction.atomic
def switch_system(
    mode: Mode, *, system: str, params: Mapping[str, object], by: User | None, reason: str, now: dt.datetime
) -> Rerating:
    """Switch a mode to another system, under which its whole history is rated anew; the audit log notes it.

    Raises Refused.
    """
    current = current_parameters(mode)
    if get_system(system, params) == system_of(current):
        raise Refused(f"{mode.slug} is rated by {system} with these parameters already.")
    rerating = request_rerating(mode, reason=reason, now=now, by=by, system=system, params=params)
    changes = parameter_changes(current, system, params)
    record_changes("switch system", f"mode {mode.slug}", changes, by=by, reason=reason, now=now)
    return rerating
