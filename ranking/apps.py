"""The Django app of the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.db import connection, connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.utils import translation as django_translation

from ranking.wording import translation

if TYPE_CHECKING:
    from ranking.database.shown_changes import Shown


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = "Ranking"

    def ready(self) -> None:
        translation.install(django_translation)
        post_migrate.connect(_create_triggers, sender=self)
        if connection.vendor == "postgresql":  # psycopg isn't loaded for SQLite
            from ranking.database.timestamps import register_loader

            connection_created.connect(register_loader)


def _create_triggers(using: str, **more: object) -> None:
    from ranking.database import name_index, shown_changes

    name_index.create_triggers(connections[using])
    shown_changes.create_triggers(connections[using], _shown())


def _shown() -> Shown:
    """The ledger's tables that pages show. Results add players, and change nothing else about them."""
    from ranking.database.shown_changes import DELETE, INSERT, RESULTS, SITE, UPDATE, everything

    return {
        **everything(
            RESULTS,
            *_tables("match", "participation", "passing", "change", "rating", "forfeit", "event", "incident", "pardon"),
        ),
        **everything(
            SITE,
            *_tables("mode", "season", "snapshot", "strike", "void", "ban", "hiding", "merge", "playername"),
            *_tables("rerating", "parameterversion", "seed", "source"),
        ),
        "ranking_player": {INSERT: RESULTS, UPDATE: SITE, DELETE: SITE},
    }


def _tables(*models: str) -> list[str]:
    return [f"ranking_{model}" for model in models]
