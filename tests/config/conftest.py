"""Counters of these tests are nobody else's: test processes side by side share one Redis."""

import os

import pytest
from django.core.cache import cache

from ranking.operations.keys import create_key
from tests.support.factories import NOW


@pytest.fixture(autouse=True)
def _own_cache(settings):
    if settings.SCALED:
        number = 10 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 6
        location = settings.REDIS_URL.rpartition("/")[0] + f"/{number}"
        settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": location}}
        cache.clear()


@pytest.fixture
def result_key(db):
    """The header of a key that may post results."""
    secret = create_key("tests", scopes=["results"], now=NOW)
    return {"authorization": f"Bearer {secret}"}
