"""What every test gets."""

from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test.signals import setting_changed

from ranking import snapshots

REDIS_DATABASES = 16


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    """No test sees what another left in a cache; databases of tests use ids again."""
    cache.clear()
    snapshots._table.cache_clear()
    snapshots._regions.cache_clear()
    snapshots._yesterdays.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(worker_id: str) -> None:
    """Processes of one run, which clear the cache before each test, have a Redis database each."""
    if settings.SCALED and worker_id != "master":
        address, _, number = settings.CACHES["default"]["LOCATION"].rpartition("/")
        own = (int(number) + 1 + int(worker_id.removeprefix("gw"))) % REDIS_DATABASES
        settings.CACHES["default"]["LOCATION"] = f"{address}/{own}"
        setting_changed.send(sender=None, setting="CACHES", value=settings.CACHES, enter=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything under tests/browser drives a browser; two journeys do their worst to processes."""
    here = Path(__file__).parent
    for item in items:
        if here / "browser" in item.path.parents:
            item.add_marker("browser")
        if item.path in (here / "journeys" / "test_faults.py", here / "journeys" / "test_backup.py"):
            item.add_marker("faults")


@pytest.fixture(scope="session", autouse=True)
def _plain_http() -> None:
    """Test clients and live servers speak HTTP, and log in with no second factor, whatever the profile asks."""
    settings.SECURE_SSL_REDIRECT = False
    settings.ADMIN_MFA = False
