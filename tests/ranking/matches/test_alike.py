"""Alike matches: which are, and that the API names them."""

import datetime as dt
from itertools import combinations

import pytest
from django.utils import timezone

from ranking.matches import invariants
from ranking.matches.doubles import MOST, find_doubles, search_doubles
from ranking.matches.recording import record_results
from ranking.models import DoubledMatch, Match, Mode, Player
from ranking.moderation.doubles import void_doubles
from ranking.moderation.merges import merge_players
from ranking.moderation.voids import void
from ranking.rerating.reratings import rerate
from ranking.standings.publishing import publish
from tests.support.api import call, make_key, moment, post_match, result
from tests.support.concurrency import at_once
from tests.support.factories import NOW, make_mode, make_report, make_source, record, record_result
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db
START = NOW - dt.timedelta(minutes=10)


@pytest.fixture(autouse=True)
def _modes():
    make_mode(team_count=4, team_count_min=2)
    make_mode("squad")


def alike_of(report, source="other"):
    """How many recorded matches this one is alike to."""
    recorded = record_result(report, source=make_source(source), now=NOW).record
    return len(find_doubles([recorded])[recorded.match.pk].alike)


def test_which_matches_are_alike():
    base = {"started_at": START, "duration": 600.0}
    faults = {}
    for name, teams, more, expected in [
        ("another source", (["a", "b"], ["c", "d"]), base, 1),
        ("teams in another order", (["c", "d"], ["a", "b"]), {**base, "places": (2, 1)}, 1),
        ("players in another order", (["b", "a"], ["d", "c"]), base, 1),
        ("another winner", (["a", "b"], ["c", "d"]), {**base, "places": (2, 1)}, 1),
        ("other details", (["a", "b"], ["c", "d"]), {"started_at": START, "server": "s", "rounds": 3}, 1),
        ("other teams", (["a", "c"], ["b", "d"]), base, 0),
        ("another player", (["a", "b"], ["c", "e"]), base, 0),
        ("one player less", (["a", "b"], ["c"]), base, 0),
        ("one team more", (["a", "b"], ["c", "d"], ["e"]), base, 0),
        ("another start", (["a", "b"], ["c", "d"]), {"started_at": START + dt.timedelta(seconds=1)}, 0),
        ("no start", (["a", "b"], ["c", "d"]), {"duration": 600.0}, 0),
        ("another end", (["a", "b"], ["c", "d"]), {**base, "ended_at": NOW + dt.timedelta(seconds=1)}, 0),
        ("another mode", (["a", "b"], ["c", "d"]), {**base, "mode": "squad"}, 0),
    ]:
        with rolled_back():
            record(["a", "b"], ["c", "d"], **base)
            if (found := alike_of(make_report(*teams, **more))) != expected:
                faults[name] = found
    assert faults == {}


def test_without_a_start_the_results_are_the_same_too():
    faults = {}
    for first, second, expected in [((1, 2), (1, 2), 1), ((1, 2), (2, 1), 0), ((1, 1), (1, 1), 1), ((1, 2), (1, 1), 0)]:
        with rolled_back():
            record(["a"], ["b"], places=first)
            if (found := alike_of(make_report(["a"], ["b"], places=second))) != expected:
                faults[first, second] = found
    assert faults == {}


def test_scores_without_a_start():
    key = make_key()
    at = moment(hours=-1)
    for number, (scores, expected) in enumerate([((3, 1), 0), ((3, 2), 0), ((3, 1), 1), ((1, 3), 0)]):
        teams = [{"score": score, "players": [{"id": name}]} for score, name in zip(scores, "ab", strict=True)]
        answer = post_match(result(id=f"m-{number}", teams=teams, ended_at=at, duration=None), key=key)
        assert (answer.status, len(answer.body["alike"])) == (201, expected), scores


def test_a_merged_player_counts_as_who_was_kept():
    record(["old"], ["x"], ended_at=NOW - dt.timedelta(days=1))
    record(["a"], ["b"], started_at=START)
    old, kept = (Player.objects.get(key=key) for key in ("old", "a"))
    merge_players(kept, old, by=None, reason="One person.", now=NOW)
    assert alike_of(make_report(["old"], ["b"], started_at=START)) == 1


def test_void_matches_are_alike_to_none():
    first = record(["a"], ["b"], started_at=START).record
    second = record(["a"], ["b"], started_at=START).record
    void([first.match], by=None, reason="Sent twice.", now=NOW)
    assert find_doubles([second])[second.match.pk].alike == ()
    first.match.refresh_from_db()
    first.match.is_void = True
    assert find_doubles([first]) == {}


def test_two_of_one_batch_name_each_other():
    reports = [make_report(["a"], ["b"], started_at=START) for _ in range(3)]
    records = [recorded.record for recorded in record_results(reports, source=make_source(), now=NOW)]
    numbers = [one.match.pk for one in records]
    assert {number: list(one.alike) for number, one in find_doubles(records).items()} == {
        number: [other for other in numbers if other != number] for number in numbers
    }


def test_so_many_are_named_at_most():
    records = [
        recorded.record
        for recorded in record_results(
            [make_report(["a"], ["b"], started_at=START) for _ in range(MOST + 5)], source=make_source(), now=NOW
        )
    ]
    assert {len(doubles.alike) for doubles in find_doubles(records).values()} == {MOST}


def test_the_api_rates_both_and_names_the_other():
    sent = result(started_at=moment(minutes=-20), ended_at=moment(minutes=-10))
    first = post_match(sent, key=make_key(source="one"))
    second = post_match(sent, key=make_key(source="two"))
    third = post_match({**sent, "id": "m-3"}, key=make_key(source="two"))
    numbers = [answer.body["number"] for answer in (first, second, third)]
    assert [(answer.status, answer.body["state"]) for answer in (first, second, third)] == [(201, "rated")] * 3
    assert [answer.body["alike"] for answer in (first, second, third)] == [[], numbers[:1], numbers[:2]]
    assert [answer.body["overlaps"] for answer in (first, second, third)] == [[], [], []]  # alike ones aren't repeated
    again = post_match(sent, key=make_key(source="one"))
    assert (again.status, again.body["alike"]) == (200, numbers[1:])


def test_bulk_answers_as_single_results_do():
    sent = result(started_at=moment(minutes=-20), ended_at=moment(minutes=-10))
    sent = [sent, {**sent, "id": "m-2"}, result(id="m-3", ended_at=moment(days=-3))]
    answer = call("POST", "matches/bulk/", {"matches": sent}, key=make_key())
    one, two, three = answer.body["matches"]
    assert (one["alike"], two["alike"], three["alike"]) == ([two["number"]], [one["number"]], [])
    assert Match.objects.filter(event__isnull=False).count() == 3


@pytest.mark.parametrize("count", [1, 60])
def test_as_many_queries_for_many_as_for_one(count, django_assert_num_queries):
    reports = [
        make_report([f"a{number}"], [f"b{number}"], ended_at=NOW - dt.timedelta(minutes=number), duration=60.0)
        for number in range(count)
    ]
    records = [recorded.record for recorded in record_results(reports, source=make_source(), now=NOW)]
    with django_assert_num_queries(3):
        assert len(find_doubles(records)) == count


@pytest.mark.django_db(transaction=True)
def test_alike_results_of_several_sources_at_once():
    """Each is answered and rated once; together the answers name every pair, and the search finds one group."""
    sent = result(started_at=moment(minutes=-20), ended_at=moment(minutes=-10))
    keys = [make_key(source=f"s{number}") for number in range(8)]
    answers = at_once([lambda key=key: post_match(sent, key=key) for key in keys] * 2)
    assert {answer.status for answer in answers} == {200, 201}
    numbers = {answer.body["number"] for answer in answers}
    assert (len(numbers), Match.objects.filter(event__isnull=False).count()) == (8, 8)
    named = {frozenset((answer.body["number"], other)) for answer in answers for other in answer.body["alike"]}
    assert named == {frozenset(two) for two in combinations(numbers, 2)}
    search_doubles(since=timezone.now() - dt.timedelta(hours=1), now=timezone.now())
    assert [row.first_id for row in DoubledMatch.objects.all()] == [min(numbers)]
    publish(Mode.objects.get(slug="duel"), now=timezone.now())
    assert list(invariants.violations(timezone.now())) == []
    void_doubles(list(DoubledMatch.objects.all()), by=None, reason="Sent eight times.", now=timezone.now())
    rerate(Mode.objects.get(slug="duel"))
    assert list(Match.objects.filter(voids=None).values_list("pk", flat=True)) == [min(numbers)]
    assert list(invariants.violations(timezone.now())) == []
