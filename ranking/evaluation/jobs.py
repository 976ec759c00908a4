"""Evaluations as jobs: claimed by one process at a time, done and stored a candidate at a time.

A candidate's trial lives in the memory of whoever holds the claim. Whoever finds a claim that ran out begins the
candidate in hand anew, three times at most; what is stored stays.
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet

from ranking.evaluation.core.dry_runs import Comparison, compare
from ranking.evaluation.core.trials import Trial, chunk_size
from ranking.evaluation.histories import active_seconds, mode_history
from ranking.evaluation.runs import end_runs
from ranking.models import EvaluationRun, Mode, Rating
from ranking.systems.base import Refused
from ranking.systems.registry import get_system


def dry_run(mode: Mode, trial: Trial, seconds: float) -> dict[str, Any]:
    """The evaluation as JSON, with `board`: the listed players by the trial's ratings and by the published ones."""
    return {**asdict(trial.evaluation(seconds)), "board": asdict(_board(mode, trial))}


def _board(mode: Mode, trial: Trial) -> Comparison:
    """Who is listed depends on matches alone, so it is the same under every system."""
    listed = Rating.objects.filter(mode=mode, season__current=True, listed=True)
    rows = listed.order_by("board_order", "published_reached_at", "id").values_list("player", "published_hundredths")
    board = np.fromiter(rows.iterator(chunk_size=10_000), dtype=[("player", "i8"), ("hundredths", "i8")])
    players: list[int] = board["player"].tolist()
    newcomer = trial.system.to_state(trial.system.newcomer()).display_hundredths
    found = (trial.population.hundredths_of((mode.slug, str(player))) for player in players)
    dry = np.fromiter((newcomer if one is None else one for one in found), dtype=np.int64, count=len(players))
    return compare(players, board["hundredths"], dry)


LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # claims without a result between them
NOTED_EVERY = dt.timedelta(seconds=1)

GAVE_UP = (
    f"Given up after {ATTEMPTS} attempts, each broken off before it was done."
    " `manage.py evaluate --mode` evaluates without a limit of time."
)

Clock = Callable[[], dt.datetime]
log = logging.getLogger(__name__)


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
        end_runs(_held(hand), EvaluationRun.FAILED, clock(), error=str(refused))
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
    run = free.select_related("mode").order_by("id").first()
    if run is None:
        return None
    ours = free.filter(pk=run.pk)
    if run.attempts >= ATTEMPTS:
        end_runs(ours, EvaluationRun.FAILED, now, error=run.error or GAVE_UP)
        return None
    claim = secrets.token_hex(16)
    claimed = ours.update(
        state=EvaluationRun.RUNNING,
        claimed_by=claim,
        claimed_until=now + LEASE,
        attempts=F("attempts") + 1,
        progress=0,
    )
    return InHand(run, claim, _steps(run), now) if claimed else None  # another process got there first


def _held(hand: InHand) -> QuerySet[EvaluationRun]:
    return EvaluationRun.objects.filter(pk=hand.run.pk, claimed_by=hand.claim, state=EvaluationRun.RUNNING)


def _step(hand: InHand, clock: Clock) -> bool:
    """Do a little, and note it now and then; False where the run ended, or isn't ours any more."""
    before = len(hand.run.results)
    progress = next(hand.steps, None)
    now = clock()
    if progress is None:
        end_runs(_held(hand), EvaluationRun.DONE, now, error="")
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
        trial = Trial(get_system(candidate["system"], candidate["params"]), run.matches, active_seconds(run.mode))
        took = 0.0
        for chunk in mode_history(run.mode, until=run.until, size=chunk_size(run.matches)):
            begun = perf_counter()
            trial.take(chunk)
            took += perf_counter() - begun
            yield trial.matches
        run.results.append(dry_run(run.mode, trial, took))
        yield trial.matches
