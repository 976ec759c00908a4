"""Celery tasks of the ledger, started by beat. Each calls one domain function."""

import contextlib
import datetime as dt
from collections.abc import Callable
from operator import attrgetter

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from ranking.abuse import complaints, search
from ranking.database import locks, shown_changes
from ranking.matches import devices, doubles
from ranking.models import JobRun, Mode
from ranking.modes import changes
from ranking.operations import idempotency, outbox
from ranking.operations.jobs import WORK_CHECKS, run_each
from ranking.rerating import reratings
from ranking.rerating.lease import LeaseLost
from ranking.seasons import ending
from ranking.standings import publishing
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.fit_jobs import FITS

_slug = attrgetter("slug")
_FIRST_BACK = dt.timedelta(days=30)  # how old a match is that the first search for doubled ones looks at
_AGAIN = dt.timedelta(hours=1)  # how much of the time before a search the next one looks at again


@shared_task(name="ranking.publish_standings")
def publish_standings() -> None:
    shown_changes.fold()
    run_each(Mode.objects.all(), _publish, "The boards of %s couldn't be published.", _slug)


def _publish(mode: Mode) -> None:
    if mode.relisted_to is not None:
        changes.relist(mode, now=timezone.now())
    publishing.publish(mode, now=timezone.now())


@shared_task(name="ranking.rerate_modes", soft_time_limit=86_000, time_limit=86_400)
def rerate_modes() -> None:
    """Rate modes anew, for as long as it takes. A run has one worker at a time; another one goes on if it is killed."""
    run_each(reratings.find_work(), _rerate, "%s couldn't be rated anew.", _slug)


def _rerate(mode: Mode) -> None:
    with contextlib.suppress(LeaseLost):
        reratings.rerate(mode)


@shared_task(name="ranking.end_seasons", soft_time_limit=3_300, time_limit=3_600)
def end_seasons() -> None:
    """End seasons that are due. An end has one worker at a time; another one goes on if it is killed."""
    run_each(ending.find_due(timezone.now()), _end_season, "The season of %s couldn't be ended.", _slug)


def _end_season(mode: Mode) -> None:
    with contextlib.suppress(LeaseLost):
        ending.end_season(mode)


@shared_task(name="ranking.sweep_outbox")
def sweep_outbox() -> None:
    """Sweep for a while, in one process at a time: slow batches leave the others to ticks.

    The embedded process ticks, too, so that it sweeps for half of the time at most.
    """
    with locks.claim_sweeping() as claimed:
        if claimed:
            outbox.sweep(timezone.now(), seconds=2.0 if settings.SCALED else 1.0)


@shared_task(name="ranking.continue_evaluations")
def continue_evaluations() -> None:
    """Go on with evaluations: for most of a task's time limit in a worker, for 2 s in the embedded process."""
    seconds = settings.CELERY_TASK_SOFT_TIME_LIMIT * 0.8 if settings.SCALED else 2.0
    EVALUATIONS.work(timezone.now, seconds=seconds, keep=not settings.SCALED)


@shared_task(name="ranking.continue_fits")
def continue_fits() -> None:
    """Go on with fits, as long as with evaluations; a fit may wait for a re-rating of its mode."""
    seconds = settings.CELERY_TASK_SOFT_TIME_LIMIT * 0.8 if settings.SCALED else 2.0
    FITS.work(timezone.now, seconds=seconds, keep=not settings.SCALED)


@shared_task(name="ranking.report_abuse", soft_time_limit=3_300, time_limit=3_600)
def report_abuse() -> None:
    """Search modes for abuse, nightly. Beat also sends it at each start, so modes searched lately are skipped."""
    run_each(Mode.objects.order_by("pk"), _search, "The matches of %s couldn't be searched for abuse.", _slug)


def _search(mode: Mode) -> None:
    if search.is_due(mode, timezone.now()):
        search.search(mode, now=timezone.now())


@shared_task(name="ranking.find_doubles", soft_time_limit=3_300, time_limit=3_600)
def find_doubles() -> None:
    """Search what was received since an hour before the last search for alike and overlapping matches, hourly."""
    now = timezone.now()
    last = JobRun.objects.filter(task="find-doubled-matches").values_list("succeeded_at", flat=True).first()
    doubles.search_doubles(since=now - _FIRST_BACK if last is None else last - _AGAIN, now=now)


@shared_task(name="ranking.drop_old")
def drop_old() -> None:
    """Delete what is kept for a time only, hourly: answers to requests, devices, and reviewed reports of players."""
    drops = (idempotency.drop_old_answers, devices.drop_old_devices, complaints.drop_old_complaints)
    run_each(drops, _drop, "%s failed.", attrgetter("__name__"))


def _drop(drop: Callable[[dt.datetime], int]) -> None:
    drop(timezone.now())


def _has_reratings() -> bool:
    return bool(reratings.find_work())


def _has_endings() -> bool:
    return bool(ending.find_due(timezone.now()))


def _has_searches() -> bool:
    now = timezone.now()
    return any(search.is_due(mode, now) for mode in Mode.objects.all())


WORK_CHECKS.update(
    {
        "ranking.rerate_modes": _has_reratings,
        "ranking.end_seasons": _has_endings,
        "ranking.sweep_outbox": outbox.has_work,
        "ranking.continue_evaluations": EVALUATIONS.has_work,
        "ranking.continue_fits": FITS.has_work,
        "ranking.report_abuse": _has_searches,
    }
)
