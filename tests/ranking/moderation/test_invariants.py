"""Doctor finds what can't be true of conduct, and nothing where all is well."""

import pytest

from ranking.abuse.complaints import report_player
from ranking.matches.forfeits import record_forfeit
from ranking.models import (
    Appeal,
    Ban,
    Complaint,
    ComplaintCase,
    Forfeit,
    Incident,
    Mode,
    Pardon,
    Participation,
    Player,
)
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.invariants import violations
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, ban_player, make_mode, record
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _world(db):
    mode = make_mode()
    match = record(["a"], ["b"]).record.match
    a, b = Player.objects.order_by("key")
    report_player(match, a, b, reason="words", now=NOW)
    for _ in range(2):
        record(["a"], [PlayerReport(id="b", left_early=True)])
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="", now=NOW)
    leave = Incident.objects.filter(kind="leave").latest("pk")
    appeals = [
        appeal_against(b, words="No.", now=NOW, incident=leave.pk),
        appeal_against(b, words="No.", now=NOW, ban=ban_player(b, scope="queue", by=None, reason="x", now=NOW).pk),
    ]
    decide_appeals([one.pk for one in appeals], grant=True, by=None, reason="x", now=NOW)


def a():
    return Player.objects.get(key="a")


def b():
    return Player.objects.get(key="b")


def codes():
    return [violation.code for violation in violations(NOW)]


def test_all_is_well():
    assert codes() == []


def test_each_harm_is_found(subtests):
    for row, (harm, code) in enumerate(
        [
            (lambda: Participation.objects.update(left_early=False), "conduct.leave"),
            (lambda: Incident.objects.filter(kind="leave", pardons=None).update(player=a()), "conduct.leave"),
            (lambda: Participation.objects.filter(player=a()).update(left_early=True), "conduct.unrecorded"),
            (lambda: Forfeit.objects.update(player=a()), "conduct.dropout"),
            (lambda: Appeal.objects.filter(ban__isnull=False).update(player=a()), "conduct.appeal"),
            (lambda: Pardon.objects.all().delete(), "conduct.granted"),
            (lambda: Ban.objects.update(lifted_at=None, lift_reason=""), "conduct.granted"),
            (lambda: Complaint.objects.update(reporter=b(), reported=a()), "conduct.complaint"),
            (lambda: ComplaintCase.objects.update(complaints_count=2), "conduct.complaints"),
            (lambda: Mode.objects.update(conduct={"points": "many"}), "conduct.settings"),
        ]
    ):
        with subtests.test(row=row, code=code), rolled_back():
            harm()
            assert code in codes()
