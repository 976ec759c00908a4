"""What beat starts. Each loads by key and calls a domain function."""

import contextlib
from operator import attrgetter

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from ranking import abusework, devices, evaluationwork, modechanges, outbox, rerating, standings
from ranking.each import do_each
from ranking.models import Mode

_slug = attrgetter("slug")


@shared_task(name="ranking.publish_standings")
def publish_standings() -> None:
    do_each(Mode.objects.all(), _publish, "The boards of %s couldn't be published.", _slug)


def _publish(mode: Mode) -> None:
    if mode.relisted_to is not None:
        modechanges.relist(mode, now=timezone.now())
    standings.publish(mode, now=timezone.now())


@shared_task(name="ranking.rerate_modes", soft_time_limit=86_000, time_limit=86_400)
def rerate_modes() -> None:
    """However long that takes: whoever finds the work claimed leaves it, and what a killed worker left is taken up."""
    do_each(rerating.find_work(), _rerate, "%s couldn't be rated anew.", _slug)


def _rerate(mode: Mode) -> None:
    with contextlib.suppress(rerating.Lost):
        rerating.rerate(mode)


@shared_task(name="ranking.sweep_outbox")
def sweep_outbox() -> None:
    outbox.sweep(timezone.now())


@shared_task(name="ranking.continue_evaluations")
def continue_evaluations() -> None:
    """A worker takes the time that a job may take; the jobs process of the embedded profile has others waiting."""
    seconds = settings.CELERY_TASK_SOFT_TIME_LIMIT * 0.8 if settings.SCALED else 2.0
    evaluationwork.work(timezone.now, seconds=seconds, keep=not settings.SCALED)


@shared_task(name="ranking.report_abuse", soft_time_limit=3_300, time_limit=3_600)
def report_abuse() -> None:
    """Nightly: beat sends it at its every start, too, and what was searched lately isn't searched again."""
    do_each(Mode.objects.order_by("pk"), _search, "The matches of %s couldn't be searched for abuse.", _slug)
    devices.drop_old_devices(timezone.now())


def _search(mode: Mode) -> None:
    if abusework.is_due(mode, timezone.now()):
        abusework.search(mode, now=timezone.now())
