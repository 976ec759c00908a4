"""The Django app of the ledger."""

from django.apps import AppConfig
from django.db import connection
from django.db.backends.signals import connection_created


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = "Ranking"

    def ready(self) -> None:
        from ranking.api import schema  # noqa: F401  - registers the key scheme

        if connection.vendor == "postgresql":  # psycopg isn't loaded for SQLite
            from ranking.database.timestamps import register_loader

            connection_created.connect(register_loader)
