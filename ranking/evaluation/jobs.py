"""Runs evaluations as jobs: one process at a time leases a run, and stores the result of one candidate after another.

A candidate's trial lives in the memory of the process with the lease. A process that finds an expired lease starts the
candidate again, three times at most; stored results stay. A dry run adds the board that the candidate would give.
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

from ranking.evaluation.core.dry_runs import BoardComparison, compare
from ranking.evaluation.core.timeline import Timeline
from ranking.evaluation.core.trials import Trial, chunk_size
from ranking.evaluation.histories import active_seconds, mode_history
from ranking.evaluation.runs import end_runs
from ranking.models import EvaluationRun, Mode, Rating
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # leases in a row without a new result
NOTED_EVERY = dt.timedelta(seconds=1)

GAVE_UP = (
    f"Given up after {ATTEMPTS} attempts, each broken off before it was done."
    " `manage.py evaluate --mode` evaluates without a limit of time."
)

Clock = Callable[[], dt.datetime]
log = logging.getLogger(__name__)


def dry_run(mode: Mode, trial: Trial, seconds: float, against: Trial | None = None) -> dict[str, Any]:
    """The evaluation as JSON; `board` compares the listed players' ratings in the trial with the published ones."""
    return {**asdict(trial.evaluation(seconds, against)), "board": asdict(_board(mode, trial))}


def _board(mode: Mode, trial: Trial) -> BoardComparison:
    """Compare both boards. Listing depends on matches alone, so the players are the same under every system."""
    listed = Rating.objects.filter(mode=mode, season__current=True, listed=True)
    rows = listed.order_by("board_order", "published_reached_at", "id").values_list("player", "published_hundredths")
    board = np.fromiter(rows.iterator(chunk_size=10_000), dtype=[("player", "i8"), ("hundredths", "i8")])
    players: list[int] = board["player"].tolist()
    newcomer = trial.system.to_state(trial.system.newcomer()).display_hundredths
    ratings = (trial.population.hundredths_of((mode.slug, str(player))) for player in players)
    dry = np.fromiter((newcomer if one is None else one for one in ratings), dtype=np.int64, count=len(players))
    return compare(players, board["hundredths"], dry)


@dataclass(slots=True)
class LeasedRun:
    """A run that this process has leased, with its trial in progress."""

    run: EvaluationRun
    lease: str
    steps: Iterator[int]  # matches of the current candidate that were rated so far
    noted_at: dt.datetime


_current: LeasedRun | None = None


def work(clock: Clock, *, seconds: float, keep: bool) -> bool:
    """Work on a run for about `seconds`; return False if no run waits.

    `keep`: this process will be called again, and keeps the unfinished trial in memory until then. Otherwise it gives
    the lease back, and the current candidate will start again.
    """
    global _current
    leased, _current = _current or _lease(clock()), None
    if leased is None:
        return False
    deadline = clock() + dt.timedelta(seconds=seconds)
    try:
        while _step(leased, clock):
            if clock() >= deadline:
                if keep:
                    _current = leased
                else:
                    _row(leased).update(claimed_by="", claimed_until=None, progress=0)
                break
    except Refused as refused:
        end_runs(_row(leased), EvaluationRun.FAILED, clock(), error=str(refused))
    except Exception as error:  # the lease runs out, and a process tries again
        log.exception("Evaluation %s broke off.", leased.run.pk)
        _row(leased).update(error=f"{type(error).__name__}: {error}"[:1_000])
    return True


def _lease(now: dt.datetime) -> LeasedRun | None:
    """Lease the oldest free run; None while a process works on another, since one runs at a time on all machines."""
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
    lease = secrets.token_hex(16)
    taken = ours.update(
        state=EvaluationRun.RUNNING,
        claimed_by=lease,
        claimed_until=now + LEASE,
        attempts=F("attempts") + 1,
        progress=0,
    )
    return LeasedRun(run, lease, _steps(run), now) if taken else None  # otherwise another process was first


def _row(leased: LeasedRun) -> QuerySet[EvaluationRun]:
    """The run's row, if this process still has the lease."""
    return EvaluationRun.objects.filter(pk=leased.run.pk, claimed_by=leased.lease, state=EvaluationRun.RUNNING)


def _step(leased: LeasedRun, clock: Clock) -> bool:
    """Rate one chunk, and note the progress about once a second; return False if the run ended or the lease is lost."""
    before = len(leased.run.results)
    progress = next(leased.steps, None)
    now = clock()
    if progress is None:
        end_runs(_row(leased), EvaluationRun.DONE, now, error="")
        return False
    if len(leased.run.results) > before:
        fields: dict[str, Any] = {"results": leased.run.results, "attempts": 1, "progress": 0, "error": ""}
    elif now >= leased.noted_at + NOTED_EVERY:
        fields = {"progress": progress}
    else:
        return True
    leased.noted_at = now
    return bool(_row(leased).update(claimed_until=now + LEASE, **fields))


def _steps(run: EvaluationRun) -> Iterator[int]:
    """Rate the history by each candidate without a result; add its result to `run.results` at the end.

    The parameters in force, which are the first candidate, go along with each of the others, for the difference.
    """
    window, size = active_seconds(run.mode), chunk_size(run.matches)
    for number in range(len(run.results), len(run.candidates)):
        timeline = Timeline()
        trials = [
            Trial(get_system(candidate["system"], candidate["params"]), timeline, run.matches, window)
            for candidate in (run.candidates[number], run.candidates[0])[: 1 + (number > 0)]
        ]
        took = 0.0
        for chunk in mode_history(run.mode, until=run.until, size=size):
            stretches = timeline.read(chunk)
            begun = perf_counter()
            trials[0].take(stretches)
            took += perf_counter() - begun
            for against in trials[1:]:
                against.take(stretches)
            yield trials[0].matches
        run.results.append(dry_run(run.mode, trials[0], took, *trials[1:]))
        yield trials[0].matches
