"""Starts and stops the evaluations that administrators ask for; ranking.trials.evaluation_jobs does their work."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from ranking.models import EvaluationRun, FitRun, Mode
from ranking.modes.parameters import changed_params, check_fits, current_parameters, system_of
from ranking.systems.base import Refused
from ranking.systems.registry import get_system
from ranking.trials.histories import count_matches, last_sequence

MOST_CANDIDATES = 9  # the parameters in force and eight more
KEPT = 20  # newest runs of a mode

Run = TypeVar("Run", EvaluationRun, FitRun)


def ask_for_evaluation(
    mode: Mode, candidates: Sequence[Mapping[str, Any]], *, by: Any, now: dt.datetime
) -> EvaluationRun:
    """Start an evaluation of these candidates ({"system", "params"}) and of the parameters in force.

    Raises Refused for a bad candidate or too many, for a mode without a rated match, and while another run is
    unfinished or the mode is being rated anew or ending its season.
    """
    if (lease := Mode.objects.select_related("lease").get(pk=mode.pk).lease) is not None:
        raise Refused(f"{mode.name} is {lease.doing}; evaluate it when that is done.")
    distinct = _distinct(mode, candidates)
    until = last_sequence(mode)
    matches = count_matches(mode, until)
    if not matches:
        raise Refused(f"{mode.name} has no rated matches yet; there is nothing to evaluate.")
    try:
        with transaction.atomic():
            run = EvaluationRun.objects.create(
                mode=mode, candidates=distinct, until=until, matches=matches, asked_by=by, asked_at=now
            )
    except IntegrityError:
        raise Refused(f"An evaluation of {mode.name} is running; wait for it or stop it.") from None
    drop_old(EvaluationRun.objects.filter(mode=mode))
    return run


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


def drop_old(runs: QuerySet[Run]) -> None:
    """Delete all but the newest of these runs."""
    kept = runs.order_by("-id").values_list("id", flat=True)[:KEPT]
    runs.exclude(pk__in=list(kept)).delete()


def stop_evaluation(run: EvaluationRun, *, now: dt.datetime) -> bool:
    """Stop a run, but keep the candidates that are finished; return False if it has ended already."""
    return EvaluationRun.objects.filter(pk=run.pk).end(EvaluationRun.STOPPED, now)
