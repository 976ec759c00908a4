"""Evaluations as jobs: asked for, claimed, done a candidate at a time, and stopped.

A candidate's trial lives in the memory of whoever holds the claim; what is finished is stored candidate by
candidate. Whoever finds a claim that ran out begins the candidate in hand anew, three times at most.
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from ranking.dryruns import dry_run
from ranking.evaluation.trials import Trial, chunk_size
from ranking.models import EvaluationRun, Mode
from ranking.modes import check_fits, current_parameters, system_of
from ranking.pasts import count_matches, last_sequence, mode_pasts
from ranking.systems import get_system
from ranking.systems.base import Refused

LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # claims without a result between them
MOST_CANDIDATES = 9  # what is in force, and as many as there are systems
KEPT = 20  # finished runs of a mode
NOTED_EVERY = dt.timedelta(seconds=1)
GAVE_UP = (
    f"Given up after {ATTEMPTS} attempts, each broken off before it was done."
    " `manage.py evaluate --mode` evaluates without a limit of time."
)

Clock = Callable[[], dt.datetime]
log = logging.getLogger(__name__)


def ask_for_evaluation(
    mode: Mode, candidates: Sequence[Mapping[str, Any]], *, by: Any, now: dt.datetime
) -> EvaluationRun:
    """Have these ({"system", "params"}) tried on a mode's history, beside what is in force.

    Raises Refused: for a bad candidate or too many, without a rated match, and while another run is unfinished.
    """
    tried = _distinct(mode, candidates)
    until = last_sequence(mode)
    matches = count_matches(mode, until)
    if not matches:
        raise Refused(f"{mode.name} has no rated matches yet; there is nothing to evaluate.")
    try:
        with transaction.atomic():
            run = EvaluationRun.objects.create(
                mode=mode, candidates=tried, until=until, matches=matches, asked_by=by, asked_at=now
            )
    except IntegrityError:
        raise Refused(f"An evaluation of {mode.name} is running; wait for it or stop it.") from None
    _drop_old(mode)
    return run


def _distinct(mode: Mode, candidates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is in force and these, each once."""
    in_force = current_parameters(mode)
    tried = [(system_of(in_force), in_force.params)]
    for candidate in candidates:
        system = get_system(candidate["system"], candidate["params"])
        check_fits(system, mode)
        if all(system != other for other, _ in tried):
            tried.append((system, candidate["params"]))
    if len(tried) > MOST_CANDIDATES:
        raise Refused(f"At most {MOST_CANDIDATES - 1} candidates at once; these are {len(tried) - 1}.")
    return [{"system": system.key, "params": dict(params)} for system, params in tried]


def _drop_old(mode: Mode) -> None:
    kept = EvaluationRun.objects.filter(mode=mode).order_by("-id").values("id")[:KEPT]
    EvaluationRun.objects.filter(mode=mode).exclude(pk__in=list(kept.values_list("id", flat=True))).delete()


def stop_evaluation(run: EvaluationRun, *, now: dt.datetime) -> bool:
    """Have it stop; what is finished stays. False where it has ended already."""
    return _end(EvaluationRun.objects.filter(pk=run.pk), EvaluationRun.STOPPED, now)


def _end(runs: Any, state: str, now: dt.datetime, **fields: Any) -> bool:
    unclaimed = {"claimed_by": "", "claimed_until": None, "progress": 0}
    unfinished = runs.filter(state__in=EvaluationRun.UNFINISHED)
    return bool(unfinished.update(state=state, finished_at=now, **unclaimed, **fields))


@dataclass(slots=True)
class InHand:
    """A run that this process has claimed, and how it goes on."""

    run: EvaluationRun
    claim: str
    steps: Iterator[int]  # matches taken of the candidate in hand
    noted_at: dt.datetime


_in_hand: InHand | None = None


def work(clock: Clock, *, seconds: float, keep: bool) -> bool:
    """Go on with a run for about so long; False where nothing waits.

    `keep`: this process will be called again, and holds on to what it has in hand until then. Otherwise what
    isn't finished goes back, and its candidate in hand begins anew.
    """
    global _in_hand
    hand, _in_hand = _in_hand or _claim(clock()), None
    if hand is None:
        return False
    deadline = clock() + dt.timedelta(seconds=seconds)
    try:
        while _step(hand, clock):
            if clock() >= deadline:
                if keep:
                    _in_hand = hand
                else:
                    _held(hand).update(claimed_by="", claimed_until=None, progress=0)
                break
    except Refused as refused:
        _end(_held(hand), EvaluationRun.FAILED, clock(), error=str(refused))
    except Exception as error:  # the claim runs out, and somebody tries again
        log.exception("Evaluation %s broke off.", hand.run.pk)
        _held(hand).update(error=f"{type(error).__name__}: {error}"[:1_000])
    return True


def _claim(now: dt.datetime) -> InHand | None:
    """The oldest run that nobody holds, unless somebody is at work on another: one at a time on all machines."""
    unfinished = EvaluationRun.objects.filter(state__in=EvaluationRun.UNFINISHED)
    if unfinished.filter(claimed_until__gte=now).exists():
        return None
    free = unfinished.filter(Q(claimed_until=None) | Q(claimed_until__lt=now))
    for run in free.select_related("mode").order_by("id")[:1]:
        if run.attempts >= ATTEMPTS:
            _end(free.filter(pk=run.pk), EvaluationRun.FAILED, now, error=run.error or GAVE_UP)
            return None
        claim = secrets.token_hex(16)
        claimed = free.filter(pk=run.pk).update(
            state=EvaluationRun.RUNNING,
            claimed_by=claim,
            claimed_until=now + LEASE,
            attempts=F("attempts") + 1,
            progress=0,
        )
        if claimed:  # else another process got there first
            return InHand(run, claim, _steps(run), now)
    return None


def _held(hand: InHand) -> Any:
    return EvaluationRun.objects.filter(pk=hand.run.pk, claimed_by=hand.claim, state=EvaluationRun.RUNNING)


def _step(hand: InHand, clock: Clock) -> bool:
    """Do a little, and note it now and then; False where the run ended, or isn't ours any more."""
    before = len(hand.run.results)
    progress = next(hand.steps, None)
    now = clock()
    if progress is None:
        _end(_held(hand), EvaluationRun.DONE, now, error="")
        return False
    if len(hand.run.results) > before:
        noted: dict[str, Any] = {"results": hand.run.results, "attempts": 1, "progress": 0, "error": ""}
    elif now >= hand.noted_at + NOTED_EVERY:
        noted = {"progress": progress}
    else:
        return True
    hand.noted_at = now
    return bool(_held(hand).update(claimed_until=now + LEASE, **noted))


def _steps(run: EvaluationRun) -> Iterator[int]:
    """Try the candidates that have no result yet; each adds to `run.results` when it is done."""
    for candidate in run.candidates[len(run.results) :]:
        window = run.mode.activity_window
        trial = Trial(
            get_system(candidate["system"], candidate["params"]),
            run.matches,
            None if window is None else window.total_seconds(),
        )
        took = 0.0
        for chunk in mode_pasts(run.mode, until=run.until, size=chunk_size(run.matches)):
            begun = perf_counter()
            trial.take(chunk)
            took += perf_counter() - begun
            yield trial.matches
        run.results.append(dry_run(run.mode, trial, took))
        yield trial.matches
