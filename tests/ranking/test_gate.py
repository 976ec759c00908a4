"""Who may queue: lockouts and bans, with a sentence, until they end or are lifted."""

import datetime as dt

import pytest

from ranking.gate import MayNotQueue, check_may_queue, find_bars, may_queue
from ranking.models import AuditEntry, Ban, Incident, Player
from ranking.moderation import ban_player, lift_ban, pardon_incidents
from ranking.report import PlayerReport
from tests.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
MINUTE, DAY = dt.timedelta(minutes=1), dt.timedelta(days=1)


@pytest.fixture
def mode():
    mode = make_mode()
    record(["a"], ["b"])
    return mode


def player(key: str = "b") -> Player:
    return Player.objects.get(key=key)


def leave(times: int = 1) -> None:
    for _ in range(times):
        record(["a"], [PlayerReport(id="b", left_early=True)])


def ban(**more) -> Ban:
    said = {"scope": "queue", "by": None, "reason": "Cheating.", "now": NOW, **more}
    return ban_player(player(), **said)


def bar(now: dt.datetime = NOW):
    found = find_bars([player("a").pk, player().pk], now)
    assert player("a").pk not in found
    return found.get(player().pk)


@pytest.mark.parametrize(("times", "minutes"), [(1, 10), (2, 30), (3, 120), (4, 720), (5, 2880)])
def test_a_lockout_ends_to_the_second(mode, times, minutes):
    leave(times)
    until = NOW + minutes * MINUTE
    assert [may_queue(player(), mode, moment) for moment in (NOW, until - MINUTE / 60, until)] == [False, False, True]
    assert may_queue(player("a"), mode, NOW)


def test_a_lockout_holds_in_every_mode_and_says_why(mode):
    leave()
    with pytest.raises(MayNotQueue) as refused:
        check_may_queue(player(), make_mode("ladder"), NOW)
    number = Incident.objects.get().pk
    assert str(refused.value) == (
        "You can’t queue for Ladder now. You left a match on 20 May 2026 at 12:00 UTC and can queue again on"
        f" 20 May 2026 at 12:10 UTC. If that is wrong, tell the moderators and name incident {number}."
    )


def test_a_pardon_lets_them_queue(mode):
    leave(5)
    pardon_incidents(Incident.objects.values_list("pk", flat=True), by=None, reason="crash", now=NOW)
    assert may_queue(player(), mode, NOW)


@pytest.mark.parametrize(
    ("scope", "days", "now", "until"),
    [
        ("queue", None, NOW, "for good"),
        ("both", 2, NOW, "until 22 May 2026 at 12:00 UTC"),
        ("both", 2, NOW + 2 * DAY, None),
        ("queue", 2, NOW - MINUTE, None),
        ("boards", None, NOW, None),
    ],
)
def test_bans_run_in_their_scope_and_time(mode, scope, days, now, until):
    number = ban(scope=scope, ends_at=NOW + days * DAY if days else None).pk
    sentence = f"You are banned from queues {until}: Cheating. To appeal, tell the moderators and name ban {number}."
    assert getattr(bar(now), "sentence", None) == (sentence if until else None)


@pytest.mark.parametrize(("hours", "reason"), [(1, "lockout"), (None, "ban"), (3, "ban")])
def test_what_ends_last_is_told(mode, hours, reason):
    leave(3)
    ban(ends_at=NOW + dt.timedelta(hours=hours) if hours else None)
    assert bar().reason == reason


def test_lifted_once_with_who_and_why(mode):
    running = ban()
    assert [lift_ban(running, by=None, reason="Not them.", now=NOW + DAY) for _ in range(2)] == [True, False]
    assert bar(NOW + DAY) is None
    assert (Ban.objects.get().lifted_at, Ban.objects.get().lift_reason) == (NOW + DAY, "Not them.")
    assert list(AuditEntry.objects.order_by("pk").values_list("act", "reason")) == [
        ("ban", "Cheating."), ("lift", "Not them."),
    ]  # fmt: skip


@pytest.mark.parametrize("act", [lambda: ban(reason=" "), lambda: lift_ban(ban(), by=None, reason="", now=NOW)])
def test_no_act_without_a_reason(mode, act):
    with pytest.raises(ValueError, match="Say why"):
        act()


def test_the_audit_log_is_only_added_to(mode):
    ban()
    entry = AuditEntry.objects.get()
    for change in (entry.save, entry.delete):
        with pytest.raises(TypeError, match="audit log"):
            change()


@pytest.mark.parametrize("others", [1, 3])
def test_two_queries_for_a_party(mode, django_assert_num_queries, others):
    leave()
    record([f"p{number}" for number in range(others)], ["a"])
    ids = list(Player.objects.values_list("pk", flat=True))
    with django_assert_num_queries(2):
        find_bars(ids, NOW)
