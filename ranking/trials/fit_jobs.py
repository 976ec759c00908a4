"""Runs fits as jobs, which note each replay, so that another process can go on from there.

A process that finds an expired lease loads the history again; the search then repeats its steps with the objectives
that were noted, without replays. If the history has changed meanwhile, what was noted is forgotten.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from ranking.models import FitRun
from ranking.models.evaluation import HistoryRunQuerySet
from ranking.modes.parameters import current_parameters
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fits import Fits
from ranking.trials.core.fitting import Known
from ranking.trials.elite import propose_elite_band
from ranking.trials.fit_runs import candidate_of
from ranking.trials.jobs import LEASE, NOTED_EVERY, Clock, Jobs, Leased
from ranking.trials.loading import load_mode


@dataclass(slots=True)
class LeasedFit(Leased[FitRun]):
    """`noted`: how many results and objectives the row holds."""

    fits: Fits | None = None
    noted: tuple[int, int] = (0, 0)


class FitJobs(Jobs[FitRun, LeasedFit]):
    model = FitRun
    command = "manage.py fit"

    def ready(self, unclaimed: HistoryRunQuerySet) -> HistoryRunQuerySet:
        return unclaimed.filter(mode__lease=None)

    def begin(self, run: FitRun, lease: str, now: dt.datetime) -> LeasedFit:
        leased = LeasedFit(run, lease, now, iter(()))
        leased.steps = self._steps(leased)
        return leased

    def _steps(self, leased: LeasedFit) -> Iterator[int]:
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
            self.row(leased).update(digest=digest, known=[], results=[], replays=0)
        in_force = candidate_of(run.mode, current_parameters(run.mode).system)
        leased.fits = Fits(
            history, run.candidates, in_force=in_force, impact=run.impact, results=run.results, known=known
        )
        leased.noted = len(run.results), len(known)
        yield from leased.fits.run()
        if (band := propose_elite_band(run.mode)) is not None:
            leased.fits.summary["elite"] = band

    def step(self, leased: LeasedFit, clock: Clock) -> bool:
        progress = next(leased.steps, None)
        now = clock()
        if progress is None:
            results, summary = (leased.fits.results, leased.fits.summary) if leased.fits else ([], {})
            self.row(leased).end(FitRun.DONE, now, error="", results=results, summary=summary)
            return False
        due = now >= leased.noted_at + NOTED_EVERY
        if progress >= 0 and not due:
            return True
        leased.noted_at = now
        return bool(self.row(leased).update(claimed_until=now + LEASE, **self.to_leave(leased)))

    def to_leave(self, leased: LeasedFit) -> dict[str, Any]:
        """The columns that have changed since the last note."""
        fits = leased.fits
        if fits is None:
            return {}
        fields: dict[str, Any] = {"replays": fits.current.replays if fits.current else 0}
        if (held := (len(fits.results), len(fits.known))) != leased.noted:
            leased.noted = held
            known = [
                [number, list(point), value if value < inf else None] for (number, point), value in fits.known.items()
            ]
            fields |= {"known": known, "results": fits.results, "attempts": 1, "error": ""}
        return fields


FITS = FitJobs()
