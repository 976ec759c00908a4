"""Appeals: once against a ban or a lockout, while there are grounds; decided once, with an answer."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction

from ranking.models import Appeal, AuditEntry, Ban, Incident, Mode, Pardon, Player
from ranking.moderation.appeals import MayNotAppeal, appeal_against, decide_appeals, find_grounds
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.sanctions import pardon_incidents
from ranking.moderation.voids import void
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, ban_player, lift_ban, make_mode, record

pytestmark = pytest.mark.django_db
MINUTE, DAY = dt.timedelta(minutes=1), dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def _mode(db):
    make_mode()
    record(["a"], ["b"])


def player(key="b"):
    return Player.objects.get(key=key)


def leave(when=NOW):
    match = record(["a"], [PlayerReport(id="b", left_early=True)], ended_at=when).record.match
    return Incident.objects.get(match=match)


def ban(scope="queue", days=None):
    ends_at = None if days is None else NOW + days * DAY
    return ban_player(player(), scope=scope, by=None, reason="Cheating.", now=NOW, ends_at=ends_at)


def appeal(against, words="It wasn't me.", now=NOW, who="b"):
    name = "ban" if isinstance(against, Ban) else "incident"
    return appeal_against(player(who), words=words, now=now, **{name: against.pk})


def decide(*appeals, grant=True, now=NOW + DAY, reason="Looked into."):
    return decide_appeals([each.pk for each in appeals], grant=grant, by=None, reason=reason, now=now)


def grounds(now=NOW):
    found = find_grounds(player().pk, now)
    return list(found.bans), list(found.lockouts)


def test_grounds_are_bans_that_run_and_lockouts_of_what_counts():
    old, first, second = leave(NOW - 31 * DAY), leave(NOW - 20 * DAY), leave()
    running, _over = ban(days=3), ban("boards", days=1)
    assert grounds(NOW + 2 * DAY) == ([running.pk], [second.pk, first.pk])
    pardon_incidents([first.pk], by=None, reason="x", now=NOW)
    void([second.match], by=None, reason="x", now=NOW)
    lift_ban(running, by=None, reason="x", now=NOW + DAY)
    assert grounds(NOW + 2 * DAY) == ([], [])
    assert old.pk not in grounds()[1]


def test_a_leave_that_locked_nobody_out_is_no_grounds():
    Mode.objects.update(conduct={"lockouts": [[4, 10]]})
    leave()
    assert grounds() == ([], [])


@pytest.mark.parametrize("make", [ban, leave], ids=["ban", "lockout"])
def test_once_each(make):
    against = make()
    made = appeal(against, "  It wasn't me. ")
    assert (made.words, made.subject.split()[1]) == ("It wasn't me.", str(against.pk))
    assert grounds() == ([], [])
    with pytest.raises(MayNotAppeal, match="You have appealed against this already"):
        appeal(against)
    with pytest.raises(IntegrityError), transaction.atomic():
        Appeal.objects.create(player=player(), words="x", made_at=NOW, ban=made.ban, incident=made.incident)


@pytest.mark.parametrize(
    ("words", "said"), [("", "in your words"), (" \n", "in your words"), ("x" * 2001, "at most 2,000 characters")]
)
def test_in_their_words(words, said):
    with pytest.raises(MayNotAppeal, match=said):
        appeal(ban(), words)


@pytest.mark.parametrize(("who", "now"), [("a", NOW), ("b", NOW + 3 * DAY)])
def test_only_their_own_and_only_while_it_runs(who, now):
    with pytest.raises(MayNotAppeal, match="nothing to appeal against"):
        appeal(ban(days=2), now=now, who=who)


def state(made):
    made.refresh_from_db()
    return made.decision, made.answer, made.decided_at


def log():
    return list(AuditEntry.objects.order_by("pk").values_list("act", "subject", "player__key"))


def test_granting_pardons_the_incident_and_lifts_the_ban():
    incident, given = leave(), ban()
    appeals = [appeal(incident), appeal(given)]
    AuditEntry.objects.all().delete()
    assert decide(*appeals) == appeals
    assert [state(made) for made in appeals] == [("granted", "Looked into.", NOW + DAY)] * 2
    assert Pardon.objects.get().incident == incident
    assert find_restrictions([player().pk], NOW + DAY) == {}
    assert log() == [
        ("lift", f"ban {given.pk} from queues", "b"),
        ("appeal granted", f"ban {given.pk}", "b"),
        ("pardon", f"incident {incident.pk}", "b"),
        ("appeal granted", f"incident {incident.pk}", "b"),
    ]


def test_confirming_leaves_what_it_is_against():
    made = appeal(ban())
    decide(made, grant=False)
    assert state(made) == ("confirmed", "Looked into.", NOW + DAY)
    assert find_restrictions([player().pk], NOW + DAY)
    assert log()[-1] == ("appeal confirmed", made.subject, "b")


def test_decided_once():
    made = appeal(ban())
    assert decide(made, grant=False) == [made]
    assert decide(made) == []
    assert state(made)[0] == "confirmed"
    assert Ban.objects.get().lifted_at is None


def test_an_appeal_against_what_is_over_is_still_decided():
    made = appeal(ban(days=1))
    decide(made, now=NOW + 2 * DAY)
    assert (state(made)[0], Ban.objects.get().lifted_at) == ("granted", None)


@pytest.mark.parametrize("make", [ban, leave], ids=["ban", "lockout"])
def test_lifting_or_pardoning_grants_the_appeal(make):
    against = make()
    made = appeal(against)
    if make is ban:
        lift_ban(against, by=None, reason="Not them.", now=NOW + DAY)
    else:
        pardon_incidents([against.pk], by=None, reason="Not them.", now=NOW + DAY)
    assert state(made) == ("granted", "Not them.", NOW + DAY)
    assert decide(made, grant=False) == []


def test_no_decision_without_an_answer():
    made = appeal(ban())
    for grant in (True, False):
        with pytest.raises(ValueError, match="Say why"):
            decide(made, grant=grant, reason=" ")
    assert state(made)[0] == ""


def test_a_clock_that_is_behind_decides_no_earlier_than_it_was_made():
    made = appeal(ban())
    decide(made, grant=False, now=NOW - DAY)
    assert state(made)[2] == NOW


@pytest.mark.parametrize("number", [1, 3])
def test_as_many_queries_for_many(django_assert_num_queries, number):
    appeals = [appeal(each) for _ in range(number) for each in (ban(), leave())]
    with django_assert_num_queries(23 if connection.vendor == "postgresql" else 21):  # PostgreSQL locks modes
        decide(*appeals)
