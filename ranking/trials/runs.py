"""Starts, stops and stores runs over a mode's history; ranking.trials.jobs does their work."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max

from ranking.models import EvaluationRun, FitRun, Mode
from ranking.modes.parameters import changed_params, check_fits, current_parameters, system_of
from ranking.systems.base import Refused
from ranking.systems.registry import get_system
from ranking.trials.candidates import candidate_of
from ranking.trials.core.fits import Fits
from ranking.trials.histories import count_matches, last_sequence

MOST_CANDIDATES = 9  # of an evaluation: the parameters in force and eight more
KEPT = 20  # newest runs of a mode

Run = TypeVar("Run", EvaluationRun, FitRun)


def ask_for_evaluation(
    mode: Mode, candidates: Sequence[Mapping[str, object]], *, by: object, now: dt.datetime
) -> EvaluationRun:
    """Start an evaluation of these candidates ({"system", "params"}) and of the parameters in force.

    Raises Refused for a bad candidate or too many, for a mode without a rated match, and while another run is
    unfinished or the mode is being rated anew or ending its season.
    """
    _check_idle(mode, "evaluate it")
    distinct = _distinct(mode, candidates)
    return _start(EvaluationRun, "An evaluation", "evaluate", mode, distinct, asked_by=by, asked_at=now)


def ask_for_fit(mode: Mode, keys: Sequence[str], *, impact: bool = False, by: User | None, now: dt.datetime) -> FitRun:
    """Start a fit of these systems; the worker takes it up.

    Raises Refused for systems that have nothing to fit or can't rate the mode, without a rated match, and while another
    fit is unfinished or the mode is being rated anew or ending its season.
    """
    _check_idle(mode, "fit")
    if not keys:
        raise Refused("Choose at least one system.")
    candidates = [candidate_of(mode, key) for key in dict.fromkeys(keys)]
    for candidate in candidates:
        check_fits(get_system(candidate["system"]), mode)
    number = count_fits(mode) + 1
    return _start(FitRun, "A fit", "fit to", mode, candidates, number=number, impact=impact, asked_by=by, asked_at=now)


def _check_idle(mode: Mode, then: str) -> None:
    if (lease := Mode.objects.select_related("lease").get(pk=mode.pk).lease) is not None:
        raise Refused(f"{mode.name} is {lease.doing}; {then} when that is done.")


def _distinct(mode: Mode, candidates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The parameters in force and these candidates, each once."""
    in_force = current_parameters(mode)
    distinct = [(system_of(in_force), changed_params(in_force))]
    for candidate in candidates:
        system = get_system(candidate["system"], candidate["params"])
        check_fits(system, mode)
        if all(system != other for other, _ in distinct):
            distinct.append((system, candidate["params"]))
    if len(distinct) > MOST_CANDIDATES:
        raise Refused(f"At most {MOST_CANDIDATES - 1} candidates at once; these are {len(distinct) - 1}.")
    return [{"system": system.key, "params": dict(params)} for system, params in distinct]


def _start(
    model: type[Run], noun: str, verb: str, mode: Mode, candidates: Sequence[Mapping[str, object]], **fields: object
) -> Run:
    until = last_sequence(mode)
    matches = count_matches(mode, until)
    if not matches:
        raise Refused(f"{mode.name} has no rated matches yet; there is nothing to {verb}.")
    try:
        with transaction.atomic():
            run: Run = model.objects.create(mode=mode, candidates=candidates, until=until, matches=matches, **fields)
    except IntegrityError:
        raise Refused(f"{noun} of {mode.name} is running; wait for it or stop it.") from None
    _drop_old(model, mode)
    return run


def store_fit(mode: Mode, fits: Fits, *, source: str, until: int, by: User | None, now: dt.datetime) -> FitRun:
    """Store a fit that was made outside of the jobs; its results are candidates of the mode."""
    run: FitRun = FitRun.objects.create(
        mode=mode, number=count_fits(mode) + 1, candidates=[dict(each) for each in fits.wanted], impact=fits.impact,
        until=until, source=source[-200:], matches=fits.history.matches, asked_by=by, asked_at=now, finished_at=now,
        state=FitRun.DONE, results=fits.results, summary=fits.summary,
    )  # fmt: skip
    _drop_old(FitRun, mode)
    return run


def _drop_old(model: type[Run], mode: Mode) -> None:
    """Delete all but the newest runs of a mode."""
    runs = model.objects.filter(mode=mode)
    kept = runs.order_by("-id").values_list("id", flat=True)[:KEPT]
    runs.exclude(pk__in=list(kept)).delete()


def count_fits(mode: Mode | None) -> int:
    """The number of fits of the mode so far; each that somebody looked at has spent the held-out part a little."""
    return (FitRun.objects.filter(mode=mode).aggregate(last=Max("number"))["last"] or 0) if mode else 0


def stop_run(run: EvaluationRun | FitRun, *, now: dt.datetime) -> bool:
    """Stop a run, but keep the results that are finished; return False if it has ended already."""
    return type(run).objects.filter(pk=run.pk).end(run.STOPPED, now)
