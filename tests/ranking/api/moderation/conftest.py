"""What tests of moderating calls begin with."""

from typing import Any

import pytest

from tests.support.acts_by_api import make_author, make_moderated_site


@pytest.fixture
def site(db: None) -> dict[str, Any]:
    return make_moderated_site()


@pytest.fixture(autouse=True)
def _moderator(db: None) -> None:
    make_author("moderator", "mod")
