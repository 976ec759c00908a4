"""What every test gets."""

import pytest
from django.core.cache import cache

from ranking import snapshots


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    """No test sees what another left in a cache; databases of tests use ids again."""
    cache.clear()
    snapshots._table.cache_clear()
