"""Seasons end every three seconds while everybody is at work: no deadlock, nothing lost, every match in one season.

On PostgreSQL, whose own figure counts deadlocks: one that was retried counts, too.
"""

import contextlib
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection  # noqa: F401 - the condition of skipif
from django.utils import timezone

from matchmaking.models import Queue
from matchmaking.queues.queueing import queue_player
from matchmaking.refusals import Refusal
from matchmaking.tick.tick import tick
from ranking.matches import invariants
from ranking.models import Match, Mode, OutboxEntry, Player, Season
from ranking.moderation.voids import restore, void
from ranking.rerating.lease import LeaseLost
from ranking.rerating.reratings import request_rerating, rerate
from ranking.seasons import invariants as season_invariants
from ranking.seasons.dates import EndRefused, EndRequest, request_end
from ranking.seasons.ending import end_season
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from tests.ranking.rerating.test_deadlocks import again_and_again, deadlocks, logged_deadlocks
from tests.support.factories import make_report, make_source, record_result
from tests.support.matchmaking import make_player, make_queue

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="On SQLite writers take turns."),
]
PLAYERS = [f"p{number}" for number in range(16)]
RULES = [ResetRule(KEEP), ResetRule(HARD), ResetRule(SOFT, 0.5)]
WRITERS = 8
BETWEEN_ENDS = 3.0  # seconds
BETWEEN_SORTS = 10.0  # seconds between re-ratings of the whole history, on average; each takes a few


def play(rng, source):
    players, now = rng.sample(PLAYERS, 4), timezone.now()
    record_result(make_report(players[:2], players[2:], ended_at=now), source=source, now=now)
    time.sleep(0.05)


def act_on_matches(rng, act):
    matches = list(Match.objects.order_by("-pk")[:40])
    if len(matches) >= 3:
        act(rng.sample(matches, 3), by=None, reason="test", now=timezone.now())
    time.sleep(2)  # an end waits for re-ratings, which voids ask for


def end(rng):
    """Ask for an end now, with late results or without."""
    mode = Mode.objects.get()
    with contextlib.suppress(EndRefused):
        request_end(mode, EndRequest(rng.choice(RULES), skip_late=rng.random() < 0.5), by=None, reason="test",
                    now=timezone.now())  # fmt: skip
    time.sleep(BETWEEN_ENDS)


def work(rng):
    """What the jobs do: ends, re-ratings."""
    mode = Mode.objects.get()
    for job in (end_season, partial(rerate, block=rng.choice((2, 50)))):
        try:
            job(mode)
        except LeaseLost:
            continue
    time.sleep(0.01)


def publish_and_sort(rng):
    mode, now = Mode.objects.get(), timezone.now()
    publish(mode, now=now)
    if rng.random() < 0.1 / BETWEEN_SORTS:
        request_rerating(mode, reason="test", chronological=rng.random() < 0.5, now=now)
    time.sleep(0.1)


def queue_and_tick(rng):
    """Two players queue, and a tick forms lobbies."""
    queue, now = Queue.objects.get(), timezone.now()
    for player in rng.sample(list(Player.objects.filter(key__startswith="q")), 2):
        try:
            queue_player(player, queue, now=now)
        except Refusal:
            continue
    tick(queue, now=now)
    time.sleep(0.05)


def run_everybody(seconds):
    """Returns how often each acted."""
    make_queue(size=2, mode={"late_results": 1})
    for number in range(8):
        make_player(f"q{number}")
    source = make_source()
    everybody = {
        **{f"play {number}": partial(play, source=source) for number in range(WRITERS)},
        "void": partial(act_on_matches, act=void), "restore": partial(act_on_matches, act=restore), "end": end,
        "work": work, "work too": work, "publish": publish_and_sort, "tick": queue_and_tick,
    }  # fmt: skip
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(everybody)) as pool:
        acting = {
            name: pool.submit(again_and_again, partial(act, random.Random(seed)), until)
            for seed, (name, act) in enumerate(everybody.items())
        }
        return {name: future.result() for name, future in acting.items()}


def finish(mode):
    """Do what the jobs would do: the last end and re-rating, a publication."""
    time.sleep(1.1)  # late results are waited for
    for _ in range(3):
        rerate(mode)
        end_season(mode)
    rerate(mode)
    publish(mode, now=timezone.now())
    OutboxEntry.objects.all().delete()


@pytest.mark.parametrize("seconds", [pytest.param(4, id="short"), pytest.param(30, id="long", marks=pytest.mark.long)])
def test_seasons_end_while_everybody_is_at_work(seconds):
    before, logged = deadlocks(), logged_deadlocks()
    acts = run_everybody(seconds)
    mode = Mode.objects.get()
    finish(mode)
    ended = Season.objects.filter(state=Season.ARCHIVED)
    sys.stdout.write(
        f"{acts} {ended.count()} ends, {Match.objects.count()} matches, {deadlocks() - before} deadlocks\n"
    )
    assert (deadlocks(), logged_deadlocks()) == (before, logged)
    assert min(acts.values()) > 0
    assert ended.count() >= max(1, seconds // 8)
    assert Match.objects.count() == sum(acts[f"play {number}"] for number in range(WRITERS))
    now = timezone.now()
    assert [*invariants.violations(now), *season_invariants.violations(now)] == []
    rated, void_ones = Match.objects.filter(event__isnull=False), Match.objects.filter(event=None)
    assert sum(season.matches.count() for season in Season.objects.all()) == rated.count()
    assert all(match.voids.filter(lifted_at=None).exists() for match in void_ones)  # void before it was rated
