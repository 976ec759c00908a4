"""What the tests of config share."""

import pytest

from ranking.operations.keys import create_key
from tests.support.factories import NOW


@pytest.fixture
def result_key(db):
    """The header of a key that may post results."""
    secret = create_key("tests", scopes=["results"], now=NOW)
    return {"authorization": f"Bearer {secret}"}
