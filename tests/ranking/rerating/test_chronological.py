"""Rating anew by the time of the matches: late ones get a new place, which is their place from then on."""

import datetime as dt
import io

import pytest
from django.core.management import call_command

from leaderboards.models import Delivery
from leaderboards.webhooks.match_messages import load_matches
from leaderboards.webhooks.queueing import queue_events
from ranking.matches import invariants
from ranking.matches.forfeits import record_forfeit
from ranking.models import AuditEntry, Change, Event, Forfeit, Match, NextPlace, OutboxEntry, Player, Rerating
from ranking.moderation.voids import restore, void
from ranking.modes.changes import change_parameters
from ranking.operations import outbox
from ranking.rerating.reratings import request_rerating, rerate
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.trials.runs import ask_for_evaluation
from tests.support.factories import NOW, make_mode, record
from tests.support.replay import alike, replayed_states
from tests.support.reratings import Killed, free, in_order, in_time, ledger, number, rate_anew, states, told
from tests.support.webhooks import make_hook

pytestmark = pytest.mark.django_db

MINUTE = dt.timedelta(minutes=1)


def play(*said, mode="duel"):
    """Matches in the order given, as "ab3": a beat b at minute 3; "ab3" is also its id."""
    for each in said:
        record([each[0]], [each[1]], id=f"{mode}-{each}", mode=mode, ended_at=at(int(each[2:])))


def at(minute):
    return NOW - 100 * MINUTE + minute * MINUTE


def order(mode="duel"):
    matches = Match.objects.filter(mode__slug=mode, event__isnull=False).order_by("event")
    return [(match.external_id.removeprefix(f"{mode}-"), match.late) for match in matches]


def sort(mode, **asked):
    return rate_anew(mode, chronological=True, **asked)


def clean(mode):
    publish(mode, now=NOW)
    return list(invariants.violations(NOW)) == []


def test_a_late_match_gets_its_place_in_time_and_keeps_it():
    mode, fresh = make_mode(), make_mode("fresh")
    play("ab1", "bc3", "ca4", "ab2", "cb5")
    assert order() == [("ab1", False), ("bc3", False), ("ca4", False), ("ab2", True), ("cb5", False)]
    done = sort(mode)
    assert (done.error, done.done, done.total) == ("", 5, 5)
    assert order() == [("ab1", False), ("ab2", False), ("bc3", False), ("ca4", False), ("cb5", False)]
    play("ab1", "ab2", "bc3", "ca4", "cb5", mode="fresh")
    assert alike(states(mode), states(fresh))
    assert alike([row[2:] for row in ledger(mode)], [row[2:] for row in ledger(fresh)])
    sorted_ = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), sorted_)
    play("ac6")
    play("ac6", mode="fresh")
    assert alike(states(mode), states(fresh))
    publish(fresh, now=NOW)
    assert clean(mode)


def test_only_what_is_out_of_its_place_gets_a_new_event():
    mode = make_mode()
    play("ab1", "bc2", "ca4", "ab3")
    events = {match.external_id: match.event_id for match in Match.objects.all()}
    last = max(events.values())
    sort(mode)
    assert [number(f"duel-{each}").event_id for each in ("ab1", "bc2")] == [events["duel-ab1"], events["duel-bc2"]]
    assert [number(f"duel-{each}").event_id for each in ("ab3", "ca4")] == [last + 1, last + 2]
    assert not Event.objects.filter(pk__in=[events["duel-ca4"], events["duel-ab3"]]).exists()
    assert not Change.objects.exclude(superseded_in=None).exists()
    sort(mode)
    assert [number(f"duel-{each}").event_id for each in ("ab3", "ca4")] == [last + 1, last + 2]


def test_since_leaves_what_came_before_in_its_place():
    mode = make_mode()
    play("ab5", "bc2", "ca9", "ab1")
    before = number("duel-ab5").event_id, ledger(mode)[:2]
    sort(mode, since=number("duel-bc2").event_id)
    assert order() == [("ab5", False), ("ab1", True), ("bc2", True), ("ca9", False)]
    assert (number("duel-ab5").event_id, ledger(mode)[:2]) == before
    assert alike(replayed_states(mode), states(mode))
    assert clean(mode)


def test_voided_matches_forfeits_and_parameters_have_their_time_too():
    mode = make_mode()
    play("ab1", "ab5")
    a, b = Player.objects.order_by("key")
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="left", now=at(6))
    change_parameters(mode, params={"alpha": 0.5}, now=at(7))
    play("ab8", "ba2", "ba9")
    void([number("duel-ba2")], by=None, reason="x", now=NOW)
    sort(mode)
    assert order() == [("ab1", False), ("ba2", False), ("ab5", False), ("ab8", False), ("ba9", False)]
    parameters = (
        Change.objects.filter(player=a).order_by("event").values_list("match__external_id", "parameters__number")
    )
    assert list(parameters) == [("duel-ab1", 1), ("duel-ab5", 1), ("duel-ab8", 2), ("duel-ba9", 2)]
    assert in_order(mode) == in_time(mode)
    [forfeit] = Forfeit.objects.all()
    assert number("duel-ab5").event_id < forfeit.event_id < number("duel-ab8").event_id
    assert clean(mode)
    restore([number("duel-ba2")], by=None, reason="x", now=NOW)
    rerate(mode)
    parameters = (
        Change.objects.filter(player=a).order_by("event").values_list("match__external_id", "parameters__number")
    )
    assert list(parameters)[:3] == [("duel-ab1", 1), ("duel-ba2", 1), ("duel-ab5", 1)]
    assert clean(mode)


def test_a_void_asked_for_before_the_order_changes_is_done_after_it():
    mode = make_mode()
    play("ab1", "bc3", "ca4", "ab2")
    request_rerating(mode, reason="test", now=NOW, chronological=True)

    def void_one(done, total):
        if done == 4 and not Rerating.objects.filter(state=Rerating.WAITING).exists():
            void([number("duel-ab2")], by=None, reason="x", now=NOW)

    rerate(mode, progress=void_one)
    rerate(mode)
    assert alike(
        replayed_states(mode), {pk: state for pk, state in states(mode).items() if pk in replayed_states(mode)}
    )
    assert not number("duel-ab2").changes.exists()
    assert clean(mode)


@pytest.mark.parametrize("step", range(1, 16))
def test_a_worker_killed_at_any_step_is_followed_by_another(step):
    mode = make_mode()
    play("ab1", "bc3", "ca4", "ab2", "cb5")
    before = told(mode), ledger(mode), order()
    request_rerating(mode, reason="test", now=NOW, chronological=True)
    steps = iter(range(1, step + 1))

    def stop(done, total):
        if next(steps, step + 1) == step:
            raise Killed

    with pytest.raises(Killed):
        rerate(mode, progress=stop, block=2)
    if not Rerating.objects.get().switched_at:
        assert (told(mode), ledger(mode), order()) == before
    free(mode)
    assert rerate(mode, block=2).error == ""
    assert [name for name, _ in order()] == ["ab1", "ab2", "bc3", "ca4", "cb5"]
    assert (NextPlace.objects.count(), Event.objects.filter(mode=mode).count()) == (0, 6)
    assert alike(replayed_states(mode), states(mode))
    assert clean(mode)


def test_what_follows_a_result_follows_it_to_its_new_place():
    mode = make_mode()
    hook = make_hook(url="https://example.com/hook", events=["match.rated"])
    play("ab1", "bc3", "ab2")
    moved = [number(f"duel-{each}") for each in ("ab2", "bc3")]
    queue_events([match.event_id for match in moved], NOW)
    sort(mode)
    told_of = load_matches(Delivery.objects.filter(webhook=hook)).values()
    assert {play.match.external_id for play in told_of} == {"duel-ab2", "duel-bc3"}
    assert set(OutboxEntry.objects.values_list("event__match__external_id", flat=True)) == {
        "duel-ab1", "duel-bc3", "duel-ab2"}  # fmt: skip
    outbox.sweep(NOW)
    assert Delivery.objects.count() == 3
    assert clean(mode)


def test_the_command_says_what_it_did_and_the_audit_log_keeps_it():
    make_mode()
    play("ab1", "bc3", "ab2")
    said = io.StringIO()
    call_command("rerate", "duel", "--chronological", "--reason", "Server was offline.", stdout=said)
    assert said.getvalue().startswith("3 matches of duel ")
    [entry] = AuditEntry.objects.all()
    assert (entry.act, entry.subject, entry.reason, entry.by) == ("sort", "duel from 0", "Server was offline.", None)


def test_without_it_nothing_is_sorted():
    mode = make_mode()
    play("ab1", "bc3", "ab2")
    lived = order(), ledger(mode)
    rate_anew(mode)
    assert (order(), ledger(mode)) == lived
    assert not AuditEntry.objects.exists()


def test_an_evaluation_of_the_old_order_ends_and_none_begins_meanwhile():
    mode = make_mode()
    play("ab1", "bc3", "ab2")
    running = ask_for_evaluation(mode, [], by=None, now=NOW)
    rate_anew(mode)
    running.refresh_from_db()
    assert running.state == running.WAITING  # the order is as it was
    sort(mode)
    running.refresh_from_db()
    assert (running.state, running.error) == (
        running.FAILED, "The history was put in another order meanwhile; ask again."
    )  # fmt: skip
    mode.refresh_from_db()
    mode.lease = request_rerating(mode, reason="once more", now=NOW)
    mode.save()
    with pytest.raises(Refused, match="Duel is being rated anew; evaluate it when that is done"):
        ask_for_evaluation(mode, [], by=None, now=NOW)
