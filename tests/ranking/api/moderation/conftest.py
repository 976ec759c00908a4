"""What tests of moderating calls begin with."""

from typing import Any

import pytest

from tests.support.acts_by_api import make_author, make_moderated_site


@pytest.fixture(scope="module")
def _moderators_account(module_db: None) -> None:
    make_author("moderator", "mod")


@pytest.fixture(scope="module")
def _moderated_site(_moderators_account: None) -> dict[str, Any]:
    return make_moderated_site()


@pytest.fixture(autouse=True)
def _moderator(db: None, _moderators_account: None) -> None:
    """Each test has the moderator "mod"."""


@pytest.fixture
def site(db: None, _moderated_site: dict[str, Any]) -> dict[str, Any]:
    return dict(_moderated_site)
