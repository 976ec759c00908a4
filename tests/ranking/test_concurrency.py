"""Many at once: on PostgreSQL side by side, on a SQLite file one after the other, and always once."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from ranking import invariants
from ranking.models import Change, Match, Mode, Player, Rating
from ranking.results import KNOWN, RATED, record_result
from ranking.standings import publish
from tests.factories import NOW, make_mode, make_report, make_source
from tests.replay import replayed_states

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(jobs, workers: int = 8) -> list:
    """What the jobs return, done by threads with a connection each, started together."""
    gate = threading.Barrier(min(workers, len(jobs)))
    waiting = threading.local()

    def run(job):
        if not getattr(waiting, "over", False):
            waiting.over = True
            gate.wait(30)
        return job()

    def closing(job):
        try:
            return run(job)
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(closing, jobs))


def test_fifty_copies_at_once_are_rated_once():
    make_mode()
    source, report = make_source(), make_report(["a", "b"], ["c", "d"])
    states = at_once([lambda: record_result(report, source=source, now=NOW).state] * 50)
    assert sorted(states) == [KNOWN] * 49 + [RATED]
    assert (Match.objects.count(), Change.objects.count(), Rating.objects.count()) == (1, 4, 4)


@pytest.mark.parametrize("system", ["elo", "team-ratio"])
def test_two_hundred_results_over_twelve_players_are_a_chain(system):
    make_mode(system=system)
    source, rng = make_source(), random.Random(3)
    reports = []
    for _ in range(200):
        players = rng.sample([f"p{number}" for number in range(12)], 6)
        reports.append(make_report(players[:3], players[3:]))
    states = at_once([lambda report=report: record_result(report, source=source, now=NOW).state for report in reports])
    assert states == [RATED] * 200
    publish(Mode.objects.get(), now=NOW)
    assert list(invariants.findings(NOW)) == []
    assert replayed_states(Mode.objects.get()) == {rating.player_id: rating.state for rating in Rating.objects.all()}


def test_newcomers_from_all_sides_are_made_once():
    make_mode()
    source = make_source()
    rng = random.Random(5)
    reports = []
    for _ in range(40):
        players = rng.sample([f"new{number}" for number in range(10)], 4)
        reports.append(make_report(players[:2], players[2:]))
    at_once([lambda report=report: record_result(report, source=source, now=NOW) for report in reports])
    assert (Player.objects.count(), Rating.objects.count(), Match.objects.count()) == (10, 10, 40)


def test_publishing_beside_results_loses_nothing():
    mode = make_mode(system="team-ratio")
    source, rng = make_source(), random.Random(7)
    jobs = []
    for number in range(120):
        players = rng.sample([f"p{n}" for n in range(30)], 4)
        report = make_report(players[:2], players[2:])
        jobs.append(lambda report=report: record_result(report, source=source, now=NOW))
        if number % 6 == 0:
            jobs.append(lambda: publish(mode, now=NOW))
    at_once(jobs)
    publish(mode, now=NOW)
    assert list(invariants.findings(NOW)) == []
    assert not Rating.objects.filter(to_publish=True).exists()
