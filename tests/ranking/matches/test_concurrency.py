"""Many at once: on PostgreSQL side by side, on a SQLite file one after the other, and always once."""

import random
import time
from functools import partial

import pytest

from ranking.matches import invariants
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import KNOWN, RATED
from ranking.models import Change, Forfeit, Incident, Match, Mode, Participation, Player, Rating
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.rerating.reratings import find_work, rerate
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result
from tests.support.replay import alike, replayed_states

pytestmark = pytest.mark.django_db(transaction=True)


def test_fifty_copies_at_once_are_rated_once():
    make_mode()
    source, report = make_source(), make_report(["a", "b"], ["c", "d"])
    states = at_once([lambda: record_result(report, source=source, now=NOW).state] * 50)
    assert sorted(states) == [KNOWN] * 49 + [RATED]
    assert (Match.objects.count(), Change.objects.count(), Rating.objects.count()) == (1, 4, 4)


def test_a_walkover_and_its_lobbys_forfeits_at_once_are_one_each():
    mode = make_mode()
    source, now = make_source(), {"now": NOW}
    record_result(make_report(["a", "b"], ["c", "d"]), source=source, **now)
    gone = [PlayerReport(key, seconds=0.0, left_early=True) for key in "cd"]
    people = {player.key: player for player in Player.objects.all()}
    teams = [[people["a"], people["b"]], [people["c"], people["d"]]]
    report = make_report(["a", "b"], gone, lobby="L")
    jobs = [lambda: record_result(report, source=source, elsewhere=True, **now)] * 4
    for key in "cd":
        jobs += [partial(record_forfeit, mode, lobby="L", teams=teams, player=people[key], reason="Left.", **now)] * 4
    for other in (["a", "c"], ["b", "d"]), (["d", "b"], ["c", "a"]):
        jobs += [partial(record_result, make_report(*other), source=source, **now)] * 4
    at_once(jobs)
    assert sorted(Forfeit.objects.values_list("player__key", flat=True)) == ["c", "d"]
    assert (Incident.objects.count(), Match.objects.count(), Change.objects.count()) == (2, 4, 3 * 4 + 2)
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []


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
    assert list(invariants.violations(NOW)) == []
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
    assert list(invariants.violations(NOW)) == []
    assert not Rating.objects.filter(to_publish=True).exists()


def merge_when_possible(kept: Player, merged: Player) -> None:
    """As a moderator who tries again when the mode has been rated anew."""
    for _ in range(600):
        try:
            merge_players(kept, merged, by=None, reason="One person", now=NOW)
            return
        except MergeRefused:  # the mode is being rated anew
            time.sleep(0.05)
    raise AssertionError("Never free.")


def test_merging_beside_results_for_both_keys_loses_nothing():
    mode = make_mode(system="team-ratio")
    source, rng = make_source(), random.Random(11)
    reports = [make_report([rng.choice("ab"), "x"], [rng.choice("cd"), "y"]) for _ in range(120)]
    for report in reports[:10]:
        record_result(report, source=source, now=NOW)
    a, b, c, d = (Player.objects.get(key=key) for key in "abcd")
    jobs = [lambda report=report: record_result(report, source=source, now=NOW).state for report in reports[10:]]
    for place, kept, merged in ((30, a, b), (60, c, d)):
        jobs.insert(place, lambda two=(kept, merged): merge_when_possible(*two))
        jobs.insert(place + 15, lambda: publish(mode, now=NOW))
        jobs.insert(place + 20, lambda: rerate(mode))
    at_once(jobs)
    while find_work():
        rerate(mode)
    publish(mode, now=NOW)
    mode.refresh_from_db()
    assert list(invariants.violations(NOW)) == []
    assert not Participation.objects.filter(player__in=[b, d]).exists()
    rated = {rating.player_id: rating.state for rating in Rating.objects.all() if rating.matches}
    assert alike(replayed_states(mode), rated)
    assert {player.key: player.ratings.get().matches for player in (a, c)} == {"a": 120, "c": 120}
