"""Who may queue: lockouts and bans, with a sentence, until they end or are lifted."""

import datetime as dt

import pytest
from django.core.exceptions import ValidationError

from ranking.hooks import RunningMatch
from ranking.models import AuditEntry, Ban, Incident, Player
from ranking.moderation.appeals import appeal_against
from ranking.moderation.eligibility import (
    MayNotQueue,
    find_entry_restrictions,
    find_restrictions,
    load_conduct,
)
from ranking.moderation.sanctions import pardon_incidents
from ranking.modes.changes import change_settings
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, ban_player, lift_ban, make_mode, record

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


def restriction(now: dt.datetime = NOW):
    found = find_restrictions([player("a").pk, player().pk], now)
    assert player("a").pk not in found
    return found.get(player().pk)


@pytest.mark.parametrize(("times", "minutes"), [(1, 10), (2, 30), (3, 120), (4, 720), (5, 2880)])
def test_a_lockout_ends_to_the_second(mode, times, minutes):
    leave(times)
    until = NOW + minutes * MINUTE
    assert [restriction(moment) is None for moment in (NOW, until - MINUTE / 60, until)] == [False, False, True]


def test_a_lockout_holds_in_every_mode_and_says_why(mode):
    leave()
    assert str(MayNotQueue(restriction(), make_mode("ladder"))) == (
        "You can’t queue for Ladder now. You left a match on 20 May 2026 at 12:00 UTC and can queue again on"
        " 20 May 2026 at 12:10 UTC. If that is wrong, appeal on your conduct page."
    )


def test_a_pardon_lets_them_queue(mode):
    leave(5)
    pardon_incidents(Incident.objects.values_list("pk", flat=True), by=None, reason="crash", now=NOW)
    assert restriction() is None


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
    ban(scope=scope, ends_at=NOW + days * DAY if days else None)
    places = "queues and boards" if scope == "both" else "queues"
    sentence = f"You are banned from {places} {until}: Cheating. You can appeal on your conduct page."
    assert getattr(restriction(now), "sentence", None) == (sentence if until else None)


def test_who_has_appealed_is_not_told_how_to(mode):
    number = ban(ends_at=None).pk
    assert (restriction().may_appeal, restriction().appeal) == (True, None)
    appeal_against(player(), words="No.", now=NOW, ban=number)
    assert (restriction().may_appeal, restriction().appeal) == (False, "")
    assert restriction().sentence == "You are banned from queues for good: Cheating."
    lift_ban(Ban.objects.get(), by=None, reason="Not them.", now=NOW)
    leave(3)
    assert "appeal on your conduct page" in restriction().sentence
    appeal_against(player(), words="No.", now=NOW, incident=restriction().number)
    assert "appeal" not in restriction().sentence
    assert (restriction().may_appeal, restriction().appeal) == (False, "")


@pytest.mark.parametrize(("hours", "reason"), [(1, "lockout"), (None, "ban"), (3, "ban")])
def test_what_ends_last_is_told(mode, hours, reason):
    leave(3)
    ban(ends_at=NOW + dt.timedelta(hours=hours) if hours else None)
    assert restriction().reason == reason


def test_lifted_once_with_who_and_why(mode):
    running = ban()
    assert [lift_ban(running, by=None, reason="Not them.", now=NOW + DAY) for _ in range(2)] == [True, False]
    assert restriction(NOW + DAY) is None
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
def test_three_queries_for_a_party(mode, django_assert_num_queries, others):
    leave()
    record([f"p{number}" for number in range(others)], ["a"])
    ids = list(Player.objects.values_list("pk", flat=True))
    with django_assert_num_queries(3):
        find_restrictions(ids, NOW)


RUNNING = {"b": RunningMatch(number=7, mode="Duel", since=NOW - MINUTE)}


def running(players, now):
    """As matchmaking answers: who of these belongs to a match that runs."""
    return {player("b").pk: RUNNING["b"]} if player("b").pk in players else {}


@pytest.fixture
def locked_in(settings):
    settings.LOCK_INS = [f"{__name__}.running"]


def test_who_belongs_to_a_running_match_queues_nowhere(mode, locked_in):
    assert str(MayNotQueue(restriction(), make_mode("ladder"))) == (
        "You can’t queue for Ladder now. Your match in Duel, begun on 20 May 2026 at 11:59 UTC, is still running, even"
        " if you left it. You can queue again when its result is in."
    )
    told = load_conduct(player().pk, NOW).restriction
    assert (told.reason, told.number, told.until) == ("running", 7, None)


def test_a_ban_for_good_is_told_before_a_running_match(mode, locked_in):
    ban()
    assert restriction().reason == "ban"


def asking(**more):
    """A ranked mode that asks something of newcomers, and the mode for fun where they play first."""
    fun = make_mode("fun", ranked=False)
    return fun, make_mode("strict", **({"entry_matches": 3, "entry_mode": fun} if "entry_days" not in more else more))


def sentence_of(key, mode, now=NOW):
    found = find_entry_restrictions([player(key).pk], mode, now).get(player(key).pk)
    return found and found.sentence


def test_completed_matches_of_a_mode_for_fun_open_a_ranked_one(mode):
    _, strict = asking()
    assert sentence_of("b", strict) == "Complete 3 more matches of Fun first, without leaving."
    for left in (False, True, False):
        record(["a"], [PlayerReport(id="b", left_early=left)], mode="fun", ended_at=NOW - DAY)
    assert sentence_of("b", strict) == "Complete one more match of Fun first, without leaving."
    [still] = find_entry_restrictions([player("a").pk, player().pk], strict, NOW + DAY).values()
    assert str(MayNotQueue(still, strict)).startswith("You can’t queue for Strict now. Complete one more match")
    assert sentence_of("a", strict) is None
    assert sentence_of("b", mode) is None


@pytest.mark.parametrize(
    ("days", "now", "said"),
    [
        (7, NOW, "7 days. It opens for you on 27 May 2026 at 12:00 UTC."),
        (1, NOW, "a day. It opens for you on 21 May 2026 at 12:00 UTC."),
        (7, NOW + 7 * DAY, None),
    ],
)
def test_an_age_opens_a_ranked_mode(mode, days, now, said):
    _, strict = asking(entry_days=days)
    known = said and f"This mode is open to players whom this site has known for {said}"
    assert sentence_of("b", strict, now) == known


@pytest.mark.parametrize("others", [1, 3])
def test_what_newcomers_lack_takes_two_queries_at_most(mode, django_assert_num_queries, others):
    fun, strict = asking()
    change_settings(strict, now=NOW, entry_days=3)
    record([f"p{number}" for number in range(others)], ["a"])
    ids = list(Player.objects.values_list("pk", flat=True))
    with django_assert_num_queries(2):
        assert len(find_entry_restrictions(ids, strict, NOW)) == len(ids)
    with django_assert_num_queries(0):
        assert find_entry_restrictions(ids, fun, NOW) == {}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"entry_matches": 0}, "entry_mode"),
        ({"entry_mode": None}, "entry_mode"),
        ({"ranked": False}, "ranked"),
        ({"entry_mode": "duel"}, "entry_mode"),
        ({"entry_mode": "strict"}, "entry_mode"),
    ],
)
def test_what_makes_no_sense_is_refused(mode, changed, field):
    _, strict = asking()
    if changed.get("entry_mode"):
        changed = {"entry_mode": {"duel": mode, "strict": strict}[changed["entry_mode"]]}
    with pytest.raises(ValidationError) as refused:
        change_settings(strict, now=NOW, **changed)
    assert list(refused.value.message_dict) == [field]


def test_a_mode_that_opens_another_stays_for_fun(mode):
    fun, _ = asking()
    with pytest.raises(ValidationError, match="Strict asks newcomers for matches of this mode"):
        change_settings(fun, now=NOW, ranked=True)
