"""What processes keep in memory, which a test must not see from another."""

from django.core.cache import caches

from config.observability import write_check
from config.serving import kept_pages
from matchmaking.queues import waits
from ranking.operations import job_runs
from ranking.seasons import reset_tables
from ranking.standings import snapshots


def forget_everything() -> None:
    """Empty all caches: databases of tests, and transactions that were rolled back, use ids again."""
    for cache in caches.all(initialized_only=True):
        cache.clear()
    kept_pages.forget_pages()
    snapshots.table_at.cache_clear()
    snapshots.final_standings.cache_clear()
    snapshots._regions.cache_clear()
    snapshots._yesterdays.cache_clear()
    forget_newest()
    reset_tables._table_of.cache_clear()
    forget_waits()
    forget_outcome()


def forget_newest() -> None:
    """Have the newest snapshots read anew; a test's clock may stand still."""
    snapshots._newest_id.cache_clear()
    snapshots._newest_id_of_all.cache_clear()


def forget_waits() -> None:
    """Have what queues say of waits and servers read anew."""
    waits._crowds.cache_clear()
    waits._last_waits.cache_clear()
    waits._server_problem.cache_clear()
    waits._waits.cache_clear()


def forget_outcome() -> None:
    """Have the next check of the database write anew."""
    write_check._checked_at = float("-inf")


def forget_notes() -> None:
    """Have the next success of each job noted at once."""
    job_runs._noted.clear()
