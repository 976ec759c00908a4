"""Runs fits as jobs, which note each replay, so that another process can go on from there.

A process that finds an expired lease loads the history again; the search then repeats its steps with the objectives
that were noted, without replays. If the history has changed meanwhile, what was noted is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from django.db.models import Q

from ranking.models import FitRun
from ranking.modes.parameters import current_parameters
from ranking.trials.candidates import candidate_of
from ranking.trials.core.building import HistoryBuilder
from ranking.trials.core.fits import Fits
from ranking.trials.core.search import Known
from ranking.trials.histories import load_mode
from ranking.trials.jobs import Jobs, Work
from ranking.trials.proposals import propose_elite_band


class FitWork(Work):
    model = FitRun
    command = "manage.py fit"
    ready = Q(mode__lease=None)
    fits: Fits | None = None
    _noted = (0, 0)  # how many results and objectives the row holds

    def start(self) -> Iterator[int]:
        """Load the history, then fit; yields often."""
        run, builder = self.run, HistoryBuilder()
        yield from load_mode(run.mode, run.until, builder)
        history = builder.finish()
        digest = history.digest()
        known: Known = {}
        if run.digest == digest:
            known = {(number, tuple(point)): inf if value is None else value for number, point, value in run.known}
        else:
            run.results, run.digest = [], digest
            self.row.update(digest=digest, known=[], results=[], replays=0)
        in_force = candidate_of(run.mode, current_parameters(run.mode).system)
        self.fits = Fits(
            history, run.candidates, in_force=in_force, impact=run.impact, results=run.results, known=known
        )
        self._noted = len(run.results), len(known)
        yield from self.fits.run()
        if (band := propose_elite_band(run.mode)) is not None:
            self.fits.summary["elite"] = band

    def note(self, progress: int) -> dict[str, Any]:
        """The columns that have changed since the last note."""
        fits = self.fits
        if fits is None:
            return {}
        fields: dict[str, Any] = {"replays": fits.current.replays if fits.current else 0}
        if (held := (len(fits.results), len(fits.known))) != self._noted:
            self._noted = held
            known = [
                [number, list(point), value if value < inf else None] for (number, point), value in fits.known.items()
            ]
            fields |= {"known": known, "results": fits.results, "attempts": 1, "error": ""}
        return fields

    def outcome(self) -> dict[str, Any]:
        return {"results": self.fits.results, "summary": self.fits.summary} if self.fits else {}


FITS = Jobs(FitWork)
