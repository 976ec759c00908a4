"""What the tests of config share."""

import pytest
from django.contrib import admin

from ranking.operations.keys import create_key
from tests.support.factories import NOW


@pytest.fixture(scope="session", autouse=True)
def _pages_of_the_admin() -> None:
    """The admin's pages, which are loaded with the site's URLs."""
    admin.autodiscover()


@pytest.fixture
def result_key(db):
    """The header of a key that may post results."""
    secret = create_key("tests", scopes=["results"], now=NOW)
    return {"authorization": f"Bearer {secret}"}
