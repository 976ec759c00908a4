"""Overlapping matches: a player who was in two at the same time."""

import datetime as dt

import pytest

from ranking.matches.doubles import NONE, find_doubles
from ranking.models import Match
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.api import call, make_key, moment, result
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _modes():
    make_mode()
    make_mode("squad")


def at(seconds):
    return NOW + dt.timedelta(seconds=seconds)


def played(since, until, *, player=None, other="x", now=NOW + dt.timedelta(days=9), **more):
    """A match of "a" from `since` to `until`, in seconds; `player`: what is said of "a"."""
    report = make_report(
        [player or PlayerReport("a")], [other], ended_at=at(until),
        **({"started_at": at(since)} if since is not None else {}), **more,
    )  # fmt: skip
    return record_result(report, source=make_source(), now=now).record


def overlaps_of(record):
    return list(find_doubles([record]).get(record.match.pk, NONE).overlaps)


def part(joined_at=None, seconds=None, left_early=False):
    return PlayerReport("a", joined_at=joined_at, seconds=seconds, left_early=left_early)


def test_when_matches_overlap():
    """The first match is from 0 to 600 s."""
    faults = {}
    for name, first, since, until, more, expected in [
        ("within", {}, 100, 500, {}, True),
        ("around", {}, -100, 700, {}, True),
        ("before its end", {}, 500, 900, {}, True),
        ("after its start", {}, -300, 100, {}, True),
        ("in another mode", {}, 100, 500, {"mode": "squad"}, True),
        ("by its duration", {}, None, 700, {"duration": 300.0}, True),
        ("by its duration, after it", {}, None, 1000, {"duration": 300.0}, False),
        ("its length isn't known", {}, None, 500, {}, False),
        ("after it", {}, 600, 900, {}, False),
        ("before it", {}, -300, 0, {}, False),
        ("clocks differ by five seconds", {}, 595, 900, {}, False),
        ("clocks differ by five seconds before", {}, -300, 5, {}, False),
        ("six seconds", {}, 594, 900, {}, True),
        ("others played", {}, 100, 500, {"player": PlayerReport("z"), "other": "y"}, False),
        ("who left had gone", {"player": part(seconds=60.0, left_early=True)}, 100, 500, {}, False),
        ("who left hadn't gone", {"player": part(seconds=200.0, left_early=True)}, 100, 500, {}, True),
        ("who came late hadn't come", {"player": part(joined_at=400.0, seconds=200.0)}, 100, 390, {}, False),
        ("who came late had come", {"player": part(joined_at=300.0, seconds=300.0)}, 100, 390, {}, True),
        ("they were in one half, nobody knows which", {"player": part(seconds=290.0)}, 0, 300, {}, False),
        ("they were there in the middle, surely", {"player": part(seconds=500.0)}, 200, 400, {}, True),
    ]:
        with rolled_back():
            one = played(0, 600, **first)
            two = played(since, until, **{"other": "y", **more})
            expected_others = [one.match.pk] if expected else []
            if (found := overlaps_of(two)) != expected_others:
                faults[name] = found
    assert faults == {}


def test_the_earlier_one_ended_later_and_both_name_each_other():
    one, two = played(0, 600), played(100, 500, other="y")
    assert (overlaps_of(one), overlaps_of(two)) == ([two.match.pk], [one.match.pk])


def test_void_matches_overlap_none():
    one, two = played(0, 600), played(100, 500, other="y")
    void([one.match], by=None, reason="Never played.", now=NOW)
    assert overlaps_of(two) == []


def test_bots_may_be_everywhere():
    """Each plays beside somebody else, so that the matches count."""
    for bot, overlapping in ((False, True), (True, False)):
        with rolled_back():
            records = [
                record_result(
                    make_report([PlayerReport("a", bot=bot), mate], [other], started_at=at(0), ended_at=at(600)),
                    source=make_source(), now=at(700),
                ).record
                for mate, other in (("p", "x"), ("q", "y"))
            ]  # fmt: skip
            assert bool(overlaps_of(records[1])) is overlapping


def test_two_of_one_batch_overlap():
    """The answers of single results and of bulk name them."""
    sent = [
        result(id=name, started_at=moment(minutes=-20), ended_at=moment(minutes=-10), duration=None,
               teams=[{"score": 1, "players": [{"id": "a"}]}, {"score": 0, "players": [{"id": name}]}])
        for name in ("x", "y")
    ]  # fmt: skip
    one, two = call("POST", "matches/bulk/", {"matches": sent}, key=make_key()).body["matches"]
    assert (one["overlaps"], two["overlaps"], one["alike"]) == ([two["number"]], [one["number"]], [])
    again = call("POST", "matches/", sent[0], key=make_key())
    assert (again.status, again.body["overlaps"]) == (200, [two["number"]])
    assert Match.objects.filter(event__isnull=False).count() == 2


def test_a_match_of_no_length_overlaps_none():
    played(0, 600)
    assert overlaps_of(played(300, 300, other="y")) == []


def test_matches_of_a_year_are_compared_day_by_day(django_assert_num_queries):
    """A bulk import of an old season reads no more than the days of its matches."""
    year = 300 * 86_400
    old, new = played(-year, 600 - year), played(0, 600)
    twin, late = played(100 - year, 500 - year, other="y"), played(100, 500, other="y")
    with django_assert_num_queries(1 + 4):  # alike; two a day
        found = find_doubles([new, old, late, twin])
    assert {number: list(both.overlaps) for number, both in found.items()} == {
        new.match.pk: [late.match.pk], late.match.pk: [new.match.pk],
        old.match.pk: [twin.match.pk], twin.match.pk: [old.match.pk],
    }  # fmt: skip
