"""What beat starts. Each loads by key and calls a domain function."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from ranking import evaluationwork, outbox, standings
from ranking.models import Mode


@shared_task(name="ranking.publish_standings")
def publish_standings() -> None:
    for mode in Mode.objects.all():
        standings.publish(mode, now=timezone.now())


@shared_task(name="ranking.sweep_outbox")
def sweep_outbox() -> None:
    outbox.sweep(timezone.now())


@shared_task(name="ranking.continue_evaluations")
def continue_evaluations() -> None:
    """A worker takes the time that a job may take; the jobs process of the embedded profile has others waiting."""
    seconds = settings.CELERY_TASK_SOFT_TIME_LIMIT * 0.8 if settings.SCALED else 2.0
    evaluationwork.work(timezone.now, seconds=seconds, keep=not settings.SCALED)
