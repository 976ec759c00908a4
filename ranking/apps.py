"""The Django app of the ledger."""

from django.apps import AppConfig


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = "Ranking"

    def ready(self) -> None:
        from ranking.api import schema  # noqa: F401  - registers the key scheme
