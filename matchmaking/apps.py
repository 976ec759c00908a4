"""Django's configuration of the app."""

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate


class MatchmakingConfig(AppConfig):
    name = "matchmaking"
    verbose_name = "Matchmaking"

    def ready(self) -> None:
        post_migrate.connect(_create_triggers, sender=self)


def _create_triggers(using: str, **_: object) -> None:
    """Have it counted if a mode gets a queue, or loses it: every page says whether one can play."""
    from ranking.database.shown_changes import DELETE, INSERT, SITE, create_triggers

    create_triggers(connections[using], {"matchmaking_queue": {INSERT: SITE, DELETE: SITE}})
