"""What a deadlock broke off is done again, and nothing else is."""

import threading
import time

import pytest
from django.db import OperationalError, connection, transaction

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import Merge, Player
from ranking.moderation.merges import merge_players
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db(transaction=True)


class Cause(Exception):
    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate


def failing(*states: str):
    """Work that fails so, one after the other, before it is done; and what was tried."""
    left, tried = list(states), []

    @retried
    def work() -> str:
        tried.append(1)
        if left:
            raise OperationalError from Cause(left.pop(0))
        return "done"

    return work, tried


@pytest.mark.parametrize("states", [[], ["40P01"], ["40001", "40P01", "40001"]])
def test_up_to_three_times(states):
    work, tried = failing(*states)
    assert (work(), len(tried)) == ("done", len(states) + 1)


@pytest.mark.parametrize(("states", "times"), [(["40P01"] * 4, 4), (["53100"], 1), (["40P01", "53100"], 2)])
def test_no_more_and_nothing_else(states, times):
    work, tried = failing(*states)
    with pytest.raises(OperationalError):
        work()
    assert len(tried) == times


def test_not_inside_somebody_elses_transaction():
    work, tried = failing("40P01")
    with pytest.raises(OperationalError), transaction.atomic():
        work()
    assert len(tried) == 1


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns.")
def test_a_merge_that_met_another_the_other_way_round():
    mode = make_mode()
    record(["a"], ["b"])
    record(["c"], ["b"])
    a, c = Player.objects.get(key="a"), Player.objects.get(key="c")
    failed: list[Exception] = []

    def merge() -> None:
        try:
            merge_players(a, c, by=None, reason="One person", now=NOW)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    merging = threading.Thread(target=merge)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL deadlock_timeout = '20s'")  # the other finds it out
        list(Player.objects.select_for_update().filter(pk=c.pk))
        merging.start()
        time.sleep(0.5)  # it holds the mode, and waits for the player
        locks.share_modes([mode.slug])
    merging.join(30)
    assert (failed, Merge.objects.get().merged) == ([], c)
