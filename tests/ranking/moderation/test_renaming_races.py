"""A result and a renaming at once: the moderator's name stays, whoever comes first."""

import threading
import time

import pytest
from django.db import connection, transaction

from ranking.models import Player, Rating
from ranking.moderation.renaming import rename_player, reset_names
from ranking.rules.report import PlayerReport
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db(transaction=True)
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def wait_for_the_other() -> None:
    """Wait until another connection waits for a lock of this one; SQLite's writers wait for each other anyway."""
    for _ in range(100 if connection.vendor == "postgresql" else 3):
        time.sleep(0.05)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(WAITS)
                if cursor.fetchone() != (0,):
                    return
    if connection.vendor == "postgresql":
        pytest.fail("Nobody waits.")


def test_a_result_that_waits_for_a_renaming_brings_no_name():
    make_mode()
    record(["b"], ["rival"])
    renamed = threading.Event()

    def rename() -> None:
        with transaction.atomic():
            rename_player([Player.objects.get(key="b").pk], name="Bee", by=None, reason="Rude.", now=NOW)
            renamed.set()
            wait_for_the_other()

    def play() -> None:
        assert renamed.wait(30)
        record([PlayerReport(id="b", name="Nasty")], ["rival"])

    at_once([rename, play])
    player = Player.objects.get(key="b")
    assert (player.name, player.locked_name, Rating.objects.get(player=player).matches) == ("Bee", "Bee", 2)


def test_neither_order_lifts_the_lock():
    make_mode()
    for number in range(5):
        record([f"b{number}"], ["rival"])
    players = list(Player.objects.filter(key__startswith="b").values_list("pk", "key"))
    jobs = []
    for pk, key in players:
        jobs.append(lambda pk=pk: reset_names([pk], by=None, reason="Rude.", now=NOW))
        jobs += [lambda key=key, name=name: record([PlayerReport(id=key, name=name)], ["rival"]) for name in "XY"]
    at_once(jobs, workers=4)
    for player in Player.objects.filter(key__startswith="b"):
        assert player.name == player.locked_name != ""
        assert Rating.objects.get(player=player).matches == 3
