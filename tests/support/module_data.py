"""Data that the tests of one module share: made once, and rolled back after the last of them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest
from django.test import TestCase
from pytest_django.plugin import DjangoDbBlocker

from tests.support.caches import forget_everything


@pytest.fixture(scope="module")
def module_db(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The database for fixtures of module scope, as `db` is for those of a test.

    Each test of the module finds their rows, and works in a savepoint that is rolled back. The objects that
    they return are one for all tests: a fixture of the test's own scope, which asks for `db`, reads them anew.
    """
    check_all_share([item for item in request.session.items if item.path == request.path])
    with django_db_blocker.unblock(), rolled_back_in_the_end():
        yield


@contextmanager
def rolled_back_in_the_end() -> Iterator[None]:
    """A transaction that tests nest in, and that counts as none for what must not run inside one."""

    class Module(TestCase):
        pass

    forget_everything()
    Module.setUpClass()
    try:
        yield
    finally:
        Module.tearDownClass()
        Module.doClassCleanups()


def check_all_share(tests: Iterable[pytest.Item]) -> None:
    """Refuse a module where tests find other rows in another order, or see past their own transaction."""
    for test in tests:
        names = getattr(test, "fixturenames", ())
        marker = test.get_closest_marker("django_db")
        if (marker and marker.kwargs.get("transaction")) or {"transactional_db", "live_server"} & {*names}:
            raise pytest.UsageError(f"{test.nodeid} commits, but its module shares data: move it to another module.")
        if ("module_db" in names) != (marker is not None or "db" in names):
            raise pytest.UsageError(f"{test.nodeid} must ask for both `db` and its module's data, or for neither.")
