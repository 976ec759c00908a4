"""Random histories of few players with many merges, splits, and ends of seasons that are taken back."""

import random

import pytest

from ranking.seasons.taking_back import plan_taking_back
from tests.ranking.seasons.test_histories import HISTORIES, History, check
from tests.support.factories import NOW, make_report
from tests.support.savepoints import rolled_back

pytestmark = [pytest.mark.django_db, pytest.mark.long]
MATCHES = 25


class MergedHistory(History):
    ACTS = (
        ("drop_out", 0.1), ("void_or_restore", 0.15), ("merge", 0.5), ("split", 0.15), ("seed", 0.1), ("close", 0.15),
        ("rerate", 0.4), ("end", 0.3), ("take_back", 0.4),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(10 * HISTORIES))
def test_whoever_becomes_one_or_two_is_rated_as_they_played(seed):
    rng = random.Random(seed)
    pairs = [rng.sample("abcdefg", 2) for _ in range(MATCHES)]
    with rolled_back():
        history = MergedHistory("elo", 1, seed)
        history.live([make_report([first], [second], ended_at=NOW) for first, second in pairs])
        check(history)
        if not plan_taking_back(history.mode).objection:
            history.take_back()
            history.rerate()
            check(history)
