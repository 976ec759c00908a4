"""What processes keep in memory, which a test must not see from another."""

from django.core.cache import cache

from config.observability.write_check import forget_outcome
from matchmaking.queues.waits import forget_waits
from ranking.seasons.reset_tables import forget_tables
from ranking.standings import snapshots


def forget_everything() -> None:
    """Empty all caches: databases of tests, and transactions that were rolled back, use ids again."""
    cache.clear()
    snapshots.table_at.cache_clear()
    snapshots.final_standings.cache_clear()
    snapshots._regions.cache_clear()
    snapshots._yesterdays.cache_clear()
    snapshots.forget_newest()
    forget_tables()
    forget_waits()
    forget_outcome()
