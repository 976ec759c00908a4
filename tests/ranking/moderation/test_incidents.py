"""Who left, as the facts that a result writes, and what pardons and voids take away."""

import datetime as dt
import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.models import AuditEntry, Incident, Match, Mode, Player, Rerating
from ranking.moderation.incidents import find_lapses
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import restore, void
from ranking.rules.conduct import Lapse, Settings, find_lockout, points
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, make_mode, make_report, make_source, record

pytestmark = pytest.mark.django_db
BEGAN = NOW - dt.timedelta(minutes=20)


def leaver(**more) -> PlayerReport:
    return PlayerReport(id="b", **{"left_early": True, **more})


def at(seconds: float) -> dt.datetime:
    return BEGAN + dt.timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("player", "match", "when"),
    [
        (leaver(seconds=90), {"started_at": BEGAN}, at(90)),
        (leaver(seconds=90), {}, NOW),
        (leaver(), {"started_at": BEGAN}, NOW),
        (leaver(left_early=False, absences=((0, 100), (200, 281))), {"started_at": BEGAN}, NOW),
        (leaver(left_early=False, absences=((0, 180),)), {"started_at": BEGAN}, None),
        (leaver(left_early=False, seconds=5), {"started_at": BEGAN}, None),
    ],
)
def test_leaving_is_an_incident_of_when_they_left(player, match, when):
    mode = make_mode()
    play = record(["a"], [player], **match).record
    found = list(Incident.objects.values_list("player__key", "kind", "occasion", "happened_at", "mode", "match"))
    assert found == ([] if when is None else [("b", "leave", f"match:{play.match.pk}", when, mode.pk, play.match.pk)])


def test_recorded_again_is_one_incident():
    make_mode()
    for _ in range(3):
        record(["a"], [leaver()], id="once")
    assert Incident.objects.count() == 1


def test_incidents_of_a_mode_that_is_being_rated_anew():
    mode = make_mode()
    mode.lease = Rerating.objects.create(mode=mode, state="running", requested_at=NOW, reason="x")
    mode.save()
    record(["a"], [leaver()])
    assert Incident.objects.get().match == Match.objects.get(event=None)


def queries_of(reports) -> int:
    with CaptureQueriesContext(connection) as queries:
        record_results(reports, source=make_source(), now=NOW)
    return len(queries)


def test_a_batch_takes_one_insert_and_none_where_nobody_left():
    make_mode()
    record(["a"], ["b"])
    nobody, one, many = (
        queries_of([make_report(["a"], [leaver(left_early=number < left)]) for number in range(5)])
        for left in (0, 1, 5)
    )
    assert (one, many) == (nobody + 1, nobody + 1)
    assert Incident.objects.count() == 6


def lapses() -> int:
    return sum(map(len, find_lapses(Player.objects.values_list("pk", flat=True), NOW).values()))


def test_a_void_match_has_no_consequences_until_it_counts_again():
    make_mode()
    match = record(["a"], [leaver()]).record.match
    assert lapses() == 1
    void([match], by=None, reason="crash", now=NOW)
    assert lapses() == 0
    restore([match], by=None, reason="no crash", now=NOW)
    assert lapses() == 1
    told = list(AuditEntry.objects.order_by("pk").values_list("act", "subject", "reason"))
    assert told == [
        ("void", f"match {match.external_id}", "crash"),
        ("restore", f"match {match.external_id}", "no crash"),
    ]


def test_a_pardon_equals_never_having_happened():
    make_mode()
    record(["a"], [leaver()])
    kept = find_lapses(Player.objects.values_list("pk", flat=True), NOW)
    record(["a"], [leaver()])
    incident = Incident.objects.latest("pk")
    for _ in range(2):
        pardon_incidents([incident.pk], by=None, reason="crash", now=NOW)
    assert find_lapses(Player.objects.values_list("pk", flat=True), NOW) == kept
    assert [entry.subject for entry in AuditEntry.objects.all()] == [f"incident {incident.pk}"]


def test_each_has_the_numbers_of_its_mode():
    make_mode("strict", conduct={"points": 6})
    record(["a"], [leaver()], mode="strict")
    assert [lapse.settings for lapse in find_lapses([Player.objects.get(key="b").pk], NOW).popitem()[1]] == [
        Settings(points=6)
    ]
    assert Mode.objects.get().conduct_settings == Settings(points=6)


@pytest.mark.parametrize("players", [1, 3])
def test_one_query_however_many(django_assert_num_queries, players):
    make_mode()
    for number in range(players):
        record(["a"], [PlayerReport(id=f"b{number}", left_early=True)])
    ids = list(Player.objects.values_list("pk", flat=True))
    with django_assert_num_queries(1):
        find_lapses(ids, NOW)


def test_what_is_a_year_old_is_forgotten():
    make_mode()
    record(["a"], [leaver()], ended_at=NOW - dt.timedelta(days=365))
    assert lapses() == 0


def test_dropping_out_of_a_lobby_is_an_incident_until_it_is_void():
    mode = make_mode()
    record(["a"], ["b"])
    a, b = Player.objects.order_by("key")
    for _ in range(2):
        forfeit = record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="", now=NOW)
    assert list(Incident.objects.values_list("player", "kind", "forfeit")) == [(b.pk, "dropout", forfeit.pk)]
    assert lapses() == 1
    void([forfeit], by=None, reason="crash", now=NOW)
    assert lapses() == 0


@pytest.mark.parametrize("seed", range(5))
def test_pardons_and_voids_leave_what_never_happened_without_them_would(seed):
    chance, mode = random.Random(seed), make_mode()
    matches = {
        record(
            ["a"], [leaver()], ended_at=NOW - dt.timedelta(hours=chance.random() * 400)
        ).record.match: chance.random()
        for _ in range(12)
    }
    b = Player.objects.get(key="b").pk
    gone = [match for match, fate in matches.items() if fate < 0.6]
    chance.shuffle(gone)
    for match in gone:
        if matches[match] < 0.3:
            void([match], by=None, reason="x", now=NOW)
        else:
            pardon_incidents(match.incidents.values_list("pk", flat=True), by=None, reason="x", now=NOW)
    kept = find_lapses([b], NOW)[b]
    expected = sorted((match.ended_at for match in matches if match not in gone), reverse=True)
    assert [lapse.at for lapse in kept] == expected
    never = [Lapse("leave", at, mode.conduct_settings, 0) for at in expected]
    assert points(kept, NOW) == points(never, NOW)
    ends = [getattr(find_lockout(lapses, NOW), "until", None) for lapses in (kept, never)]
    assert ends[0] == ends[1]
