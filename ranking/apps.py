"""The Django app of the ledger."""

from typing import Any

from django.apps import AppConfig
from django.db import connection, connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.utils import translation as django_translation

from ranking.wording import translation


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = "Ranking"

    def ready(self) -> None:
        translation.install(django_translation)
        post_migrate.connect(_create_triggers, sender=self)
        if connection.vendor == "postgresql":  # psycopg isn't loaded for SQLite
            from ranking.database.timestamps import register_loader

            connection_created.connect(register_loader)


def _create_triggers(using: str, **more: Any) -> None:
    from ranking.database.name_index import create_triggers

    create_triggers(connections[using])
