"""What beat starts. Each loads by key and calls a domain function."""

from celery import shared_task
from django.utils import timezone

from ranking import outbox, standings
from ranking.models import Mode


@shared_task(name="ranking.publish_standings")
def publish_standings() -> None:
    for mode in Mode.objects.all():
        standings.publish(mode, now=timezone.now())


@shared_task(name="ranking.sweep_outbox")
def sweep_outbox() -> None:
    outbox.sweep(timezone.now())
