"""Starts, stops and stores fits of a mode; ranking.trials.fit_jobs does the work of those that were asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from ranking.models import FitRun, Mode
from ranking.modes.parameters import changed_params, check_fits, current_parameters
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS, get_system
from ranking.trials.core.fits import Fits
from ranking.trials.core.parameters import is_fittable
from ranking.trials.histories import count_matches, last_sequence
from ranking.trials.runs import drop_old


def ask_for_fit(mode: Mode, keys: Sequence[str], *, impact: bool = False, by: Any, now: dt.datetime) -> FitRun:
    """Start a fit of these systems; the worker takes it up.

    Raises Refused for systems that have nothing to fit or can't rate the mode, without a rated match, and while another
    fit is unfinished or the mode is being rated anew or ending its season.
    """
    if (lease := Mode.objects.select_related("lease").get(pk=mode.pk).lease) is not None:
        raise Refused(f"{mode.name} is {lease.doing}; fit when that is done.")
    if not keys:
        raise Refused("Choose at least one system.")
    candidates = [candidate_of(mode, key) for key in dict.fromkeys(keys)]
    for candidate in candidates:
        check_fits(get_system(candidate["system"]), mode)
    until = last_sequence(mode)
    matches = count_matches(mode, until)
    if not matches:
        raise Refused(f"{mode.name} has no rated matches yet; there is nothing to fit to.")
    try:
        with transaction.atomic():
            run = FitRun.objects.create(
                mode=mode, number=count_fits(mode) + 1, candidates=candidates, impact=impact, until=until,
                matches=matches, asked_by=by, asked_at=now,
            )  # fmt: skip
    except IntegrityError:
        raise Refused(f"A fit of {mode.name} is running; wait for it or stop it.") from None
    drop_old(FitRun.objects.filter(mode=mode))
    return run


def candidate_of(mode: Mode, key: str) -> dict[str, Any]:
    """A system with the parameters that the mode has chosen, if it is rated by it."""
    in_force = current_parameters(mode)
    return {"system": key, "params": changed_params(in_force) if key == in_force.system else {}}


def fittable_systems(mode: Mode) -> list[str]:
    """The systems with parameters to fit that can rate the mode; the one in force first."""
    in_force = current_parameters(mode).system
    keys = []
    for key in sorted(filter(is_fittable, SYSTEMS), key=lambda each: each != in_force):
        try:
            check_fits(get_system(key), mode)
        except Refused:
            continue
        keys.append(key)
    return keys


def store_fit(mode: Mode, fits: Fits, *, source: str, until: int, by: Any, now: dt.datetime) -> FitRun:
    """Store a fit that was made outside of the jobs; its results are candidates of the mode."""
    run = FitRun.objects.create(
        mode=mode, number=count_fits(mode) + 1, candidates=[dict(each) for each in fits.wanted], impact=fits.impact,
        until=until, source=source[-200:], matches=fits.history.matches, asked_by=by, asked_at=now, finished_at=now,
        state=FitRun.DONE, results=fits.results, summary=fits.summary,
    )  # fmt: skip
    drop_old(FitRun.objects.filter(mode=mode))
    return run


def count_fits(mode: Mode | None) -> int:
    """The number of fits of the mode so far; each that somebody looked at has spent the held-out part a little."""
    return (FitRun.objects.filter(mode=mode).aggregate(last=Max("number"))["last"] or 0) if mode else 0


def stop_fit(run: FitRun, *, now: dt.datetime) -> bool:
    """Stop a run, but keep the results that are finished; return False if it has ended already."""
    return FitRun.objects.filter(pk=run.pk).end(FitRun.STOPPED, now)
