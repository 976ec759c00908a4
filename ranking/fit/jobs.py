"""Runs fits as jobs: one process at a time leases a run, and notes each replay, so that another can go on from there.

The history and the current replay live in the memory of the process with the lease. A process that finds an expired
lease loads the history again; the search then repeats its steps with the objectives that were noted, without replays.
If the history has changed meanwhile, what was noted is forgotten.
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from math import inf
from typing import Any

from django.db.models import F, Q, QuerySet

from ranking.fit.core.building import HistoryBuilder
from ranking.fit.core.fits import Fits
from ranking.fit.core.fitting import Known
from ranking.fit.elite import propose_elite_band
from ranking.fit.loading import load_mode
from ranking.fit.runs import candidate_of, end_fits
from ranking.models import FitRun
from ranking.modes.parameters import current_parameters
from ranking.systems.base import Refused

LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # leases in a row without a new replay
NOTED_EVERY = dt.timedelta(seconds=1)
GAVE_UP = (
    f"Given up after {ATTEMPTS} attempts, each broken off before it was done."
    " `manage.py fit` fits without a limit of time."
)

Clock = Callable[[], dt.datetime]
log = logging.getLogger(__name__)


@dataclass(slots=True)
class LeasedFit:
    """A run that this process has leased, with its work in progress."""

    run: FitRun
    lease: str
    noted_at: dt.datetime
    steps: Generator[int, None, None] = field(init=False)
    fits: Fits | None = None
    noted: tuple[int, int] = (0, 0)  # how many results and objectives the row holds


_current: LeasedFit | None = None


def work(clock: Clock, *, seconds: float, keep: bool) -> bool:
    """Work on a run for about `seconds`; return False if no run waits.

    `keep`: this process will be called again, and keeps the history in memory until then. Otherwise it gives the lease
    back.
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
                    _row(leased).update(claimed_by="", claimed_until=None, **_noted(leased))
                break
    except Refused as refused:
        end_fits(_row(leased), FitRun.FAILED, clock(), error=str(refused))
    except Exception as error:  # the lease runs out, and a process tries again
        log.exception("Fit %s broke off.", leased.run.pk)
        _row(leased).update(error=f"{type(error).__name__}: {error}"[:1_000])
    return True


def _lease(now: dt.datetime) -> LeasedFit | None:
    """Lease the oldest free run; None while a process works on another, since one runs at a time on all machines."""
    unfinished = FitRun.objects.filter(state__in=FitRun.UNFINISHED)
    if unfinished.filter(claimed_until__gte=now).exists():
        return None
    free = unfinished.filter(Q(claimed_until=None) | Q(claimed_until__lt=now), mode__lease=None)
    run = free.select_related("mode").order_by("id").first()
    if run is None:
        return None
    ours = FitRun.objects.filter(pk=run.pk).filter(Q(claimed_until=None) | Q(claimed_until__lt=now))
    if run.attempts >= ATTEMPTS:
        end_fits(ours, FitRun.FAILED, now, error=run.error or GAVE_UP)
        return None
    lease = secrets.token_hex(16)
    taken = ours.filter(state__in=FitRun.UNFINISHED).update(
        state=FitRun.RUNNING, claimed_by=lease, claimed_until=now + LEASE, attempts=F("attempts") + 1
    )
    if not taken:
        return None  # another process was first
    leased = LeasedFit(run, lease, now)
    leased.steps = _steps(leased)
    return leased


def _row(leased: LeasedFit) -> QuerySet[FitRun]:
    """The run's row, if this process still has the lease."""
    return FitRun.objects.filter(pk=leased.run.pk, claimed_by=leased.lease, state=FitRun.RUNNING)


def _steps(leased: LeasedFit) -> Generator[int, None, None]:
    """Load the history, then fit; yields often."""
    run, builder = leased.run, HistoryBuilder()
    yield from load_mode(run.mode, run.until, builder)
    history = builder.finish()
    digest = history.digest()
    known: Known = {}
    if run.digest == digest:
        known = {(number, tuple(point)): inf if value is None else value for number, point, value in run.known}
    else:
        run.results, run.digest = [], digest
        _row(leased).update(digest=digest, known=[], results=[], replays=0)
    in_force = candidate_of(run.mode, current_parameters(run.mode).system)
    leased.fits = Fits(history, run.candidates, in_force=in_force, impact=run.impact, results=run.results, known=known)
    leased.noted = len(run.results), len(known)
    yield from leased.fits.run()
    if (band := propose_elite_band(run.mode)) is not None:
        leased.fits.summary["elite"] = band


def _step(leased: LeasedFit, clock: Clock) -> bool:
    """Go on a little, and note the progress; return False if the run ended or the lease is lost."""
    progress = next(leased.steps, None)
    now = clock()
    if progress is None:
        results, summary = (leased.fits.results, leased.fits.summary) if leased.fits else ([], {})
        end_fits(_row(leased), FitRun.DONE, now, error="", results=results, summary=summary)
        return False
    due = now >= leased.noted_at + NOTED_EVERY
    if progress >= 0 and not due:
        return True
    leased.noted_at = now
    return bool(_row(leased).update(claimed_until=now + LEASE, **_noted(leased)))


def _noted(leased: LeasedFit) -> dict[str, Any]:
    """The columns that have changed since the last note."""
    fits = leased.fits
    if fits is None:
        return {}
    fields: dict[str, Any] = {"replays": fits.current.replays if fits.current else 0}
    if (held := (len(fits.results), len(fits.known))) != leased.noted:
        leased.noted = held
        known = [[number, list(point), value if value < inf else None] for (number, point), value in fits.known.items()]
        fields |= {"known": known, "results": fits.results, "attempts": 1, "error": ""}
    return fields
