"""Celery tasks that beat starts: notices, pictures, webhooks, cleaning up. Each calls a domain function."""

from operator import attrgetter
from typing import Any

from celery import shared_task
from django.utils import timezone

from leaderboards import announcing
from leaderboards.achievements import counting
from leaderboards.avatars import fetching
from leaderboards.notifications import conduct_news, notices, season_news
from leaderboards.webhooks import deliveries, queueing
from ranking.models import Mode
from ranking.operations.jobs import WORK_CHECKS, run_each


@shared_task(name="leaderboards.tell_standings")
def tell_standings() -> None:
    run_each(Mode.objects.filter(ranked=True), _tell_standings, "The news of %s couldn't be told.", attrgetter("slug"))


def _tell_standings(mode: Mode) -> None:
    announcing.tell_standings(mode, timezone.now())


@shared_task(name="leaderboards.tell_endings")
def tell_endings() -> None:
    conduct_news.tell_conduct_news(timezone.now())


@shared_task(name="leaderboards.announce_seasons")
def announce_seasons() -> None:
    season_news.announce_seasons(timezone.now())


@shared_task(name="leaderboards.fetch_avatars")
def fetch_avatars() -> None:
    fetching.fetch_avatars(timezone.now())


@shared_task(name="leaderboards.count_achievements")
def count_achievements() -> None:
    counting.count_achievements()


@shared_task(name="leaderboards.deliver_webhooks")
def deliver_webhooks() -> None:
    deliveries.deliver_due(timezone.now())


@shared_task(name="leaderboards.drop_old")
def drop_old() -> None:
    run_each((notices, season_news, queueing), _drop_old, "%s couldn't delete what is old.", attrgetter("__name__"))


def _drop_old(module: Any) -> None:
    module.drop_old(timezone.now())


WORK_CHECKS.update(
    {"leaderboards.fetch_avatars": fetching.has_work, "leaderboards.deliver_webhooks": deliveries.has_work},
)
