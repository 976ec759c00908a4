"""What every test gets."""

from pathlib import Path

import pytest
from django.core.cache import cache

from ranking import snapshots


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    """No test sees what another left in a cache; databases of tests use ids again."""
    cache.clear()
    snapshots._table.cache_clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything under tests/browser drives a browser."""
    for item in items:
        if Path(__file__).parent / "browser" in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(autouse=True)
def _plain_http(settings) -> None:
    """Test clients speak HTTP, whatever the profile asks of browsers."""
    settings.SECURE_SSL_REDIRECT = False
