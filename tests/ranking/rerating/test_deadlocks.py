"""Moderators act while workers rate modes anew: everybody takes locks in one order, so PostgreSQL finds no deadlock.

The figure is PostgreSQL's own: a deadlock that was retried counts, too. The order is stated in ranking/database/locks.
"""

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from django.db import connection, transaction

from ranking.matches import invariants
from ranking.matches.backlog import rate_recorded
from ranking.models import Ban, Match, Mode, Player, Rerating
from ranking.moderation.sanctions import hide_players, show_players
from ranking.moderation.voids import restore, void
from ranking.rerating.lease import LeaseLost
from ranking.rerating.reratings import find_work, request_rerating, rerate
from ranking.standings.publishing import publish
from tests.support.factories import (
    NOW,
    ban_player,
    lift_ban,
    make_mode,
    make_report,
    make_source,
    record,
    record_result,
)
from tests.support.reratings import lease

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns."),
]
LOGS = Path("/var/log/postgresql")
PLAYERS = [f"p{number}" for number in range(12)]
MODES = ("duel", "squad")


def play(rng, source):
    players = rng.sample(PLAYERS, 4)
    record_result(make_report(players[:2], players[2:], mode=rng.choice(MODES)), source=source, now=NOW)


def act_on_matches(rng, act):
    """Void or restore some matches, of both modes, in any order."""
    matches = list(Match.objects.order_by("pk")[:40])
    act(rng.sample(matches, 3), by=None, reason="test", now=NOW)


def act_on_players(rng):
    players = list(Player.objects.order_by("pk")[: len(PLAYERS)])
    some = [player.pk for player in rng.sample(players, 3)]
    rng.choice((hide_players, show_players))(some, by=None, reason="test", now=NOW)
    ban = ban_player(rng.choice(players), scope=Ban.BOTH, by=None, reason="test", now=NOW)
    lift_ban(ban, by=None, reason="test", now=NOW)


def work(rng):
    for mode in find_work():
        try:
            rerate(mode, block=rng.choice((2, 50)))
        except LeaseLost:
            continue
    time.sleep(0.005)


def sort(rng):
    mode = Mode.objects.get(slug=rng.choice(MODES))
    request_rerating(mode, reason="test", chronological=True, now=NOW)
    publish(mode, now=NOW)
    time.sleep(0.05)


def again_and_again(act, until):
    """Act until that time; returns how often."""
    times = 0
    try:
        while time.monotonic() < until:
            act()
            times += 1
    finally:
        connection.close()
    return times


def deadlocks():
    """How many deadlocks PostgreSQL has counted in this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]


def logged_deadlocks():
    """How many the server's log tells of in this database; None if the log can't be read."""
    name = connection.settings_dict["NAME"]
    try:
        lines = [line for log in LOGS.glob("*.log") for line in log.read_text(errors="replace").splitlines()]
    except OSError:
        return None
    return sum("deadlock detected" in line and f"@{name} " in line for line in lines) if lines else None


def run_everybody(seconds):
    """Moderators, workers, game servers and the publisher at once; returns how often each acted."""
    for slug in MODES:
        make_mode(slug, team_size_max=2)
    source, rng = make_source(), random.Random(1)
    for number in range(60):
        players = rng.sample(PLAYERS, 4)
        record(players[:2], players[2:], mode=MODES[number % 2])
    everybody = {
        "void": partial(act_on_matches, act=void),
        "void too": partial(act_on_matches, act=void),
        "restore": partial(act_on_matches, act=restore),
        "sanction": act_on_players,
        "work": work,
        "work too": work,
        "sort": sort,
        "play": partial(play, source=source),
    }
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(everybody)) as pool:
        acting = {
            name: pool.submit(again_and_again, partial(act, random.Random(seed)), until)
            for seed, (name, act) in enumerate(everybody.items())
        }
        return {name: future.result() for name, future in acting.items()}


def finish():
    while modes := find_work():
        for mode in modes:
            rerate(mode)
    for mode in Mode.objects.all():
        publish(mode, now=NOW)


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(6, id="short"), pytest.param(60, id="a-minute", marks=[pytest.mark.long, pytest.mark.faults])],
)
def test_moderators_and_workers_never_deadlock(seconds):
    before, logged = deadlocks(), logged_deadlocks()
    acts = run_everybody(seconds)
    sys.stdout.write(f"{acts} {Rerating.objects.count()} reratings, {deadlocks() - before} deadlocks\n")
    assert (deadlocks(), logged_deadlocks()) == (before, logged)
    assert min(acts.values()) > 0
    finish()
    assert list(invariants.violations(NOW)) == []


def test_a_match_that_is_voided_while_the_backlog_is_rated_is_not_rated():
    mode = make_mode()
    record(["a"], ["b"], id="first")
    lease(mode)
    record(["a"], ["c"], id="recorded")
    match = Match.objects.get(external_id="recorded")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            void([match], by=None, reason="test", now=NOW)
            rate = partial(rate_recorded, mode, now=NOW)
            rating = pool.submit(lambda: again_and_again(rate, time.monotonic() + 0.01))
            time.sleep(0.5)  # it waits until the void is there
        assert rating.result() >= 1
    match.refresh_from_db()
    assert match.event is None
