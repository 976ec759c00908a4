"""What tests of matchmaking share. Those that speak HTTP have a clock that stands at NOW until turned."""

from collections.abc import Callable, Iterator

import pytest
import time_machine

from tests.support.matchmaking import NOW, later


@pytest.fixture
def clock() -> Iterator[Callable[[float], None]]:
    """Sets the clock to so many seconds after NOW."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield lambda seconds: traveller.move_to(later(seconds))
