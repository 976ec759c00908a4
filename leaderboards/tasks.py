"""Celery tasks that beat starts: notices, webhooks, cleaning up. Each calls a domain function."""

from celery import shared_task
from django.utils import timezone

from leaderboards import announcing
from leaderboards.notifications import conduct_news, notices
from leaderboards.webhooks import deliveries, queueing
from ranking.models import Mode


@shared_task(name="leaderboards.tell_standings")
def tell_standings() -> None:
    for mode in Mode.objects.filter(ranked=True):
        announcing.tell_standings(mode, timezone.now())


@shared_task(name="leaderboards.tell_endings")
def tell_endings() -> None:
    conduct_news.tell_conduct_news(timezone.now())


@shared_task(name="leaderboards.deliver_webhooks")
def deliver_webhooks() -> None:
    deliveries.deliver_due(timezone.now())


@shared_task(name="leaderboards.drop_old")
def drop_old() -> None:
    notices.drop_old(timezone.now())
    queueing.drop_old(timezone.now())
