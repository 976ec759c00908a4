"""What a deadlock broke off is done again, and nothing else is."""

import threading
import time

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.urls import reverse

from ranking.database import locks
from ranking.database.retries import retried
from ranking.models import Match, Merge, Mode, Player, Void
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
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


def test_an_iterator_among_the_arguments_is_read_once():
    tried = []

    @retried
    def work(items):
        tried.append(list(items))
        if len(tried) == 1:
            raise OperationalError from Cause("40P01")

    work(iter("ab"))
    assert tried == [["a", "b"], ["a", "b"]]


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns.")
def test_a_merge_that_met_another_the_other_way_round():
    mode = make_mode()
    record(["a"], ["b"])
    record(["c"], ["b"])
    a, c = Player.objects.get(key="a"), Player.objects.get(key="c")
    meet(
        lambda: merge_players(a, c, by=None, reason="One person", now=NOW),
        Player.objects.filter(pk=c.pk),  # the merge holds the mode, and waits for the player
        lambda: locks.share_modes([mode.slug]),
    )
    assert Merge.objects.get().merged == c


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns.")
def test_a_void_that_met_somebody_the_other_way_round():
    mode = make_mode()
    record(["a"], ["b"])
    match = Match.objects.get()
    meet(
        lambda: void([match], by=None, reason="Cheating", now=NOW),
        Match.objects.filter(pk=match.pk),
        lambda: list(Mode.objects.select_for_update().filter(pk=mode.pk)),
    )
    assert Void.objects.get().match == match


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns.")
def test_a_form_of_a_mode_that_met_somebody_the_other_way_round(client):
    mode = make_mode()
    form = reverse("admin:ranking_mode_change", args=[mode.pk])
    client.force_login(User.objects.create_superuser("boss"))
    fields = client.get(form).context["adminform"].form
    sent = {field.name: "" if field.value() is None else field.value() for field in fields}
    inlines = [
        f"{prefix}-{name}_FORMS" for prefix in ("parameter_versions", "seasons") for name in ("TOTAL", "INITIAL")
    ]
    answers = []
    meet(
        lambda: answers.append(client.post(form, {**sent, **dict.fromkeys(inlines, 0), "name": "Renamed"}).status_code),
        Mode.objects.filter(pk=mode.pk),  # the form holds the mode's advisory lock, and waits for its row
        lambda: locks.share_modes([mode.slug]),
    )
    assert (answers, Mode.objects.get().name) == ([302], "Renamed")


def meet(act, first, then):
    """Do the act in a thread while this one locks rows that the act wants, and `then` what the act holds already."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    acting = threading.Thread(target=run)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL deadlock_timeout = '20s'")  # the other finds it out
        list(first.select_for_update())
        acting.start()
        time.sleep(0.5)
        then()
    acting.join(30)
    assert failed == []
