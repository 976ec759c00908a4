"""What moderators do can be taken back: points, lockouts, bans and appeals are then as before."""

import datetime as dt
import random

import pytest

from ranking.models import Appeal, AuditEntry, Ban, BanAct, Hiding, Incident, Pardon, Player, Reopening
from ranking.moderation.appeals import appeal_against, decide_appeals
from ranking.moderation.eligibility import find_restrictions
from ranking.moderation.incidents import find_lapses
from ranking.moderation.invariants import violations
from ranking.moderation.leavers import find_leavers
from ranking.moderation.sanctions import (
    extend_bans,
    hide_players,
    lift_bans,
    pardon_incidents,
    shorten_bans,
    show_players,
)
from ranking.moderation.undoing import reopen_appeals, resume_bans, take_back_pardons
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, ban_player, make_mode, record

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
TEXTS = {"by": None, "reason": "Looked into again.", "note": "A second look."}


@pytest.fixture(autouse=True)
def _mode(db):
    make_mode()


def leave(key="b", when=NOW):
    match = record(["a"], [PlayerReport(id=key, left_early=True)], ended_at=when).record.match
    return Incident.objects.get(match=match)


def player(key="b"):
    return Player.objects.get(key=key)


def state(now):
    """Points and lockouts of everybody, who may queue, and the list of leavers."""
    players = sorted(Player.objects.values_list("pk", flat=True))
    return find_lapses(players, now), find_restrictions(players, now), list(find_leavers(now)[:99])


@pytest.mark.parametrize("seed", range(8))
def test_pardons_taken_back_leave_everything_as_before(seed):
    chance = random.Random(seed)
    incidents = [leave(f"p{chance.randrange(3)}", NOW - chance.random() * 9 * DAY) for _ in range(8)]
    now = NOW
    for _ in range(4):
        now += DAY / 24
        before = state(now)
        some = [row.pk for row in chance.sample(incidents, chance.randint(1, 5))]
        pardoned = pardon_incidents(some, now=now, **TEXTS)
        assert state(now)[0] != before[0]
        taken = take_back_pardons(some, now=now, **TEXTS)
        assert ({row.pk for row in taken}, state(now)) == ({row.pk for row in pardoned}, before)
    assert not Pardon.objects.filter(lifted_at=None).exists()


def test_a_pardon_is_a_fact_that_stays_and_may_be_given_again():
    incident = leave()
    pardon_incidents([incident.pk], now=NOW, **TEXTS)
    assert [row.pk for row in take_back_pardons([incident.pk], now=NOW + DAY, **TEXTS)] == [incident.pk]
    assert take_back_pardons([incident.pk], now=NOW + DAY, **TEXTS) == []
    pardon_incidents([incident.pk], now=NOW + 2 * DAY, **TEXTS)
    rows = Pardon.objects.order_by("pk").values_list("lifted_at", "lift_reason", "lift_note")
    assert list(rows) == [(NOW + DAY, TEXTS["reason"], TEXTS["note"]), (None, "", "")]
    log = AuditEntry.objects.order_by("pk").values_list("act", "reason", "note")
    acts = ("pardon", "take back pardon", "pardon")
    assert list(log) == [(act, TEXTS["reason"], TEXTS["note"]) for act in acts]


def ban(days=None, scope="both"):
    return ban_player(player(), scope=scope, now=NOW, ends_at=days and NOW + days * DAY, **TEXTS)


@pytest.mark.parametrize("days", [None, 9])
def test_a_ban_s_length_and_back(days):
    record(["a"], ["b"])
    row = ban(days)
    assert shorten_bans([row.pk], ends_at=NOW + 3 * DAY, now=NOW, **TEXTS) == [row]
    assert shorten_bans([row.pk], ends_at=NOW + 4 * DAY, now=NOW, **TEXTS) == []
    assert Ban.objects.get().ends_at == NOW + 3 * DAY
    assert extend_bans([row.pk], ends_at=row.ends_at, now=NOW, **TEXTS) == [row]
    assert Ban.objects.get().ends_at == row.ends_at
    ends = BanAct.objects.order_by("pk").values_list("act", "ended_at", "ends_at", "note")
    short = NOW + 3 * DAY
    assert list(ends) == [
        ("shorten", row.ends_at, short, "A second look."),
        ("extend", short, row.ends_at, "A second look."),
    ]


def test_a_ban_isn_t_shortened_into_the_past():
    record(["a"], ["b"])
    with pytest.raises(ValueError, match="over already"):
        shorten_bans([ban(9).pk], ends_at=NOW, now=NOW, **TEXTS)


@pytest.mark.parametrize(("days", "runs"), [(None, True), (9, True), (1, False)])
def test_a_lifted_ban_runs_again_if_its_end_is_to_come(days, runs):
    record(["a"], ["b"])
    row = ban(days)
    before = Ban.objects.values().get()
    lift_bans([row.pk], now=NOW, **TEXTS)
    assert resume_bans([row.pk], now=NOW + 2 * DAY, **TEXTS) == ([row] if runs else [])
    assert (Ban.objects.values().get() == before, Ban.objects.get().runs(NOW + 2 * DAY)) == (runs, runs)


@pytest.mark.parametrize("grant", [True, False])
@pytest.mark.parametrize("against", ["ban", "incident"])
def test_a_reopened_appeal_waits_as_before(against, grant):
    incident = leave()
    row = ban() if against == "ban" else incident
    made = appeal_against(player(), words="It wasn't me.", now=NOW, **{against: row.pk})
    before, appeal = state(NOW), Appeal.objects.values().get()
    decide_appeals([made.pk], grant=grant, now=NOW, **TEXTS)
    assert state(NOW) != before
    assert reopen_appeals([made.pk], now=NOW + DAY, **TEXTS) == [made]
    assert reopen_appeals([made.pk], now=NOW + DAY, **TEXTS) == []
    assert (state(NOW), Appeal.objects.values().get()) == (before, appeal)
    fact = Reopening.objects.get()
    decision = Appeal.GRANTED if grant else Appeal.CONFIRMED
    assert (fact.decision, fact.answer, fact.decision_note, fact.reopened_at) == (
        decision, TEXTS["reason"], TEXTS["note"], NOW + DAY)  # fmt: skip
    decide_appeals([made.pk], grant=grant, now=NOW + 2 * DAY, **TEXTS)
    assert Appeal.objects.get().decision == decision
    assert list(violations(NOW)) == []


@pytest.mark.parametrize("against", ["ban", "incident"])
def test_taking_back_what_granted_an_appeal_opens_it(against):
    incident = leave()
    row = ban() if against == "ban" else incident
    appeal_against(player(), words="It wasn't me.", now=NOW, **{against: row.pk})
    if against == "ban":
        lift_bans([row.pk], now=NOW, **TEXTS)
        resume_bans([row.pk], now=NOW, **TEXTS)
    else:
        pardon_incidents([row.pk], now=NOW, **TEXTS)
        take_back_pardons([row.pk], now=NOW, **TEXTS)
    assert Appeal.objects.get().decided_at is None
    assert list(violations(NOW)) == []


def test_hidden_and_shown_again():
    record(["a"], ["b"])
    hide_players([player().pk], now=NOW, **TEXTS)
    show_players([player().pk], now=NOW + DAY, **TEXTS)
    assert player().hidden_at is None
    fact = Hiding.objects.get()
    assert (fact.hidden_at, fact.note, fact.lifted_at, fact.lift_note) == (NOW, TEXTS["note"], NOW + DAY, TEXTS["note"])
