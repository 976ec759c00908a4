"""What tests of matchmaking share. Those that speak HTTP have a clock that stands at NOW until turned."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
import time_machine
from django.db import transaction

from tests.support.matchmaking import NOW, later


class _Undo(Exception):
    pass


@contextmanager
def _undone():
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        pass


@pytest.fixture(scope="session")
def transactional() -> Callable[[], AbstractContextManager[None]]:
    """A block whose writes are undone: one for each example of a property."""
    return _undone


@pytest.fixture
def clock() -> Iterator[Callable[[float], None]]:
    """Sets the clock to so many seconds after NOW."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield lambda seconds: traveller.move_to(later(seconds))
