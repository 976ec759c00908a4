"""Rating a mode anew gives what was lived, without what was voided, while the site goes on."""

import datetime as dt
import random
from itertools import pairwise

import pytest
from django.db import connection
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from ranking.matches import backlog, invariants
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import RECORDED, record_results
from ranking.models import (
    AuditEntry,
    Change,
    Forfeit,
    Match,
    Mode,
    NextPlace,
    NextRating,
    ParameterVersion,
    Player,
    Rating,
    Rerating,
)
from ranking.moderation.voids import restore, void
from ranking.rerating.lease import LeaseLost
from ranking.rerating.reratings import find_work, request_rerating, rerate, switch_system
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.systems.registry import SYSTEMS
from tests.support import api
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, make_report, make_source, record
from tests.support.replay import alike, replayed_states
from tests.support.reports import results
from tests.support.reratings import (
    Killed,
    free,
    in_order,
    in_time,
    lease,
    ledger,
    number,
    rate_anew,
    states,
    told,
)
from tests.support.systems import largest_team

pytestmark = pytest.mark.django_db


def play(*winners, mode="duel", start=0):
    """A match for each, between a and b or as given ("ab": a beat b), a minute apart; ids m0, m1 …"""
    for index, (winner, loser) in enumerate(winners, start):
        record([winner], [loser], id=f"m{index}", mode=mode, ended_at=NOW - dt.timedelta(minutes=100 - index))


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_the_whole_history_rated_anew_is_what_was_lived(system):
    mode = make_mode(system=system, team_size_max=largest_team(system, 6))
    play("ab", "bc", "ca", "ab", "dc", "ad")
    lived = told(mode), ledger(mode)
    done = rate_anew(mode)
    assert (done.error, done.done, done.total) == ("", 6, 6)
    assert alike((told(mode), ledger(mode)), lived)
    mode.refresh_from_db()
    assert (mode.generation, mode.lease_id) == (2, None)
    assert set(Change.objects.values_list("generation", "superseded_in")) == {(2, None)}
    assert NextRating.objects.count() == 0
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@examples(6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=[Phase.generate])
@given(st.data(), st.randoms(use_true_random=False))
def test_history_with_late_voided_and_restored_matches(system, data, rng: random.Random):
    largest = largest_team(system, 3)
    sent = data.draw(st.lists(results(largest), min_size=1, max_size=25))
    for old in Mode.objects.filter(slug="duel"):  # of the example before
        publish(old, now=NOW)
        Mode.objects.filter(pk=old.pk).update(slug=f"duel-{old.pk}")
    mode = make_mode(system=system, team_size_max=largest)
    source = make_source(f"source-{Mode.objects.count()}")
    for report in sent:
        record_results([report], source=source, now=NOW)
        if rng.random() < 0.3:
            drop_out(mode, rng, largest)
        if rng.random() < 0.4:
            fact = rng.choice([*Match.objects.filter(mode=mode), *Forfeit.objects.filter(mode=mode)])
            change = restore if fact.voids.filter(lifted_at=None).exists() else void
            change([fact], by=None, reason="test", now=NOW)
        if rng.random() < 0.2:
            publish(mode, now=NOW)
        if rng.random() < 0.1:
            request_rerating(mode, reason="test", now=NOW, chronological=True)
        if rng.random() < 0.5:
            rerate(mode)
    rerate(mode)
    expected = replayed_states(mode)
    lived = states(mode)
    system_state = {player: state for player, state in lived.items() if player in expected}
    assert alike(system_state, expected)
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []
    before = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), before)
    rate_anew(mode, chronological=True)
    assert alike({player: state for player, state in states(mode).items() if player in expected}, replayed_states(mode))
    assert (in_time(mode), Match.objects.filter(mode=mode, late=True).count()) == (in_order(mode), 0)
    assert not NextPlace.objects.exists()
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []
    before = told(mode), ledger(mode)
    rate_anew(mode)
    assert alike((told(mode), ledger(mode)), before)


def drop_out(mode, rng, largest):
    """Somebody of a lobby of up to three a side."""
    members = list(Player.objects.order_by("pk"))
    rng.shuffle(members)
    half = rng.randint(1, min(largest, len(members) // 2))
    teams = [members[:half], members[half : 2 * half]]
    lobby = f"lobby-{Forfeit.objects.count()}"
    record_forfeit(mode, lobby=lobby, teams=teams, player=rng.choice(teams[0] + teams[1]), reason="left", now=NOW)


def test_a_forfeit_costs_the_dropper_alone_and_once():
    mode = make_mode()
    play("ab", "cd")
    a, b, c, d = Player.objects.order_by("key")
    before = states(mode)
    forfeits = [
        record_forfeit(mode, lobby="L1", teams=[[a, c], [b, d]], player=a, reason="left", now=NOW) for _ in range(2)
    ]
    assert forfeits[0] == forfeits[1]
    after = states(mode)
    assert {pk for pk in after if after[pk] != before[pk]} == {a.pk}
    assert after[a.pk].display_hundredths < before[a.pk].display_hundredths
    rating = Rating.objects.get(player=a)
    assert (rating.wins, rating.losses, rating.leaves, rating.reached_at) == (1, 0, 0, NOW)
    [change] = Change.objects.filter(kind=Change.FORFEIT)
    assert (change.match_id, change.outcome, change.before) == (None, "", before[a.pk])
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []


def test_a_forfeit_of_newcomers_and_of_nobody():
    mode = make_mode()
    a, b = (Player.objects.create(key=key, name=key, search_name=key, created_at=NOW) for key in "ab")
    with pytest.raises(ValueError, match="in the proposed teams"):
        record_forfeit(mode, lobby="L", teams=[[a], [a]], player=b, reason="left", now=NOW)
    record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="left", now=NOW)
    assert states(mode)[b.pk].mu < states(mode)[a.pk].mu == 25.0


def test_a_forfeit_is_recorded_meanwhile_voided_and_restored_like_a_match():
    mode = make_mode()
    play("ab", "cd")
    a, b, *_ = Player.objects.order_by("key")
    lease(mode)
    before = told(mode)
    forfeit = record_forfeit(mode, lobby="L", teams=[[a], [b]], player=b, reason="left", now=NOW)
    assert (forfeit.event, told(mode)) == (None, before)
    free(mode)
    rerate(mode)
    forfeit.refresh_from_db()
    assert forfeit.event is not None
    dropped = told(mode)
    assert dropped != before
    void([forfeit], by=None, reason="Power cut.", now=NOW)
    rerate(mode)
    assert [row[:6] for row in told(mode)] == [row[:6] for row in before]
    restore([forfeit], by=None, reason="No.", now=NOW)
    rerate(mode)
    assert told(mode) == dropped
    rate_anew(mode)
    assert told(mode) == dropped


def test_a_voided_match_counts_for_nothing_and_a_restored_one_again():
    mode = make_mode()
    play("ab", "ab", "bc")
    whole = told(mode), ledger(mode)
    void([number("m1")], by=None, reason="Cheated.", now=NOW)
    rerate(mode)
    without = states(mode)
    assert Rating.objects.get(player__key="a").wins == 1
    assert not number("m1").changes.exists()
    restore([number("m1")], by=None, reason="Mistaken.", now=NOW)
    rerate(mode)
    assert (told(mode), ledger(mode)) == whole
    assert states(mode) != without


def test_whoever_has_only_a_voided_match_is_a_newcomer_again():
    mode = make_mode()
    play("ab")
    void([number("m0")], by=None, reason="Cheated.", now=NOW)
    rerate(mode)
    assert [(row[1], row[2], row[6:]) for row in told(mode)] == [(2500, 25.0, (0, 0, 0, 0, [], None, None, None))] * 2


def test_what_was_before_a_void_is_left_alone():
    mode = make_mode()
    play("ab", "bc", "ca")
    before = set(Change.objects.filter(match=number("m0")).values_list("pk", flat=True))
    void([number("m1")], by=None, reason="Cheated.", now=NOW)
    rerate(mode)
    assert set(Change.objects.filter(match=number("m0")).values_list("pk", flat=True)) == before


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_void_needs_a_reason(reason):
    make_mode()
    play("ab")
    with pytest.raises(ValueError, match="Say why"):
        void([number("m0")], by=None, reason=reason, now=NOW)
    assert not Rerating.objects.exists()


def test_voiding_and_restoring_twice():
    make_mode()
    play("ab")
    match = number("m0")
    assert restore([match], by=None, reason="No.", now=NOW) == []
    assert void([match], by=None, reason="Yes.", now=NOW) == [match]
    assert void([match], by=None, reason="Yes.", now=NOW) == []
    assert Rerating.objects.get().reason == "void: match m0"


def test_requests_that_wait_join():
    mode = make_mode()
    play("ab", "bc", "ca")
    void([number("m2")], by=None, reason="x", now=NOW)
    void([number("m1")], by=None, reason="x", now=NOW)
    waiting = Rerating.objects.get()
    assert (waiting.since, waiting.reason) == (number("m1").event_id, "void: match m2; void: match m1")
    request_rerating(mode, reason="all of it", now=NOW)
    assert Rerating.objects.get().since is None


def test_results_are_recorded_meanwhile_and_rated_next():
    mode = make_mode()
    play("ab")
    lease(mode)
    before = told(mode)
    answer = api.post_match(api.result(id="later"))
    assert (answer.status, answer.body["state"], answer.body["changes"]) == (202, "recorded", [])
    assert api.post_match(api.result(id="later", ended_at=number("later").ended_at.isoformat())).status == 202
    assert told(mode) == before
    assert publish(mode, now=NOW) is None
    assert rerate(mode) is None  # somebody works on it
    free(mode)
    assert find_work() == [mode]
    rerate(mode)
    assert number("later").event_id is not None
    assert replayed_states(mode) == states(mode)
    assert api.post_match(api.result(id="later", ended_at=number("later").ended_at.isoformat())).status == 200
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []


def test_what_no_system_can_rate_is_refused_meanwhile_too():
    mode = make_mode(system="glicko-2", team_size_max=1)
    Mode.objects.update(team_size_max=2)
    lease(mode)
    [answer] = record_results([make_report(["a", "b"], ["c", "d"])], source=make_source(), now=NOW)
    assert (answer.state, str(answer.error)) == ("refused", "teams: glicko-2 is only for one against one.")
    [answer] = record_results([make_report(["a"], ["c"])], source=make_source(), now=NOW)
    assert answer.state == RECORDED
    assert Match.objects.count() == 1


@pytest.mark.parametrize(("team_size", "matches"), [(1, 200), (10, 100)])
def test_no_transaction_of_a_rerating_has_more_than_200_matches_or_2000_players(team_size, matches):
    """Results wait for its locks, and it has the least priority."""
    mode, done = make_mode(team_size_max=team_size), [0]
    for index in range(matches + 1):
        record(["a"], ["b"], id=f"m{index}", ended_at=NOW)
    request_rerating(mode, reason="test", now=NOW)
    assert rerate(mode, progress=lambda rated, total: done.append(rated)).error == ""
    assert {after - before for before, after in pairwise(done)} == {0, 1, matches}


@pytest.mark.parametrize("step", range(1, 9))
def test_a_worker_killed_at_any_step_is_followed_by_another(step):
    mode = make_mode()
    play("ab", "bc", "ca", "ab", "cb")
    void([number("m1")], by=None, reason="x", now=NOW)
    before = told(mode)
    steps = iter(range(1, step + 1))

    def stop(done, total):
        if next(steps) == step:
            raise Killed

    with pytest.raises(Killed):
        rerate(mode, progress=stop, block=2)
    if not Rerating.objects.get().switched_at:
        assert told(mode) == before
        assert states_by_ledger(mode) == {row[0]: row[1] for row in before}
    free(mode)
    assert rerate(mode, block=2).error == ""
    assert replayed_states(mode) == states(mode)
    publish(mode, now=NOW)
    assert list(invariants.violations(NOW)) == []
    assert not Change.objects.exclude(superseded_in=None).exists()


def states_by_ledger(mode):
    """Everybody's display rating after their last live row."""
    rows = Change.objects.live().filter(mode=mode).order_by("event")
    return {change.player_id: change.display_after for change in rows}


def test_a_worker_that_was_thought_dead_writes_nothing():
    mode = make_mode()
    play("ab", "bc", "ca", "ab", "cb")
    request_rerating(mode, reason="test", now=NOW)

    def be_overtaken(done, total):
        if done == 2:
            Rerating.objects.update(worker="another")

    with pytest.raises(LeaseLost):
        rerate(mode, progress=be_overtaken, block=2)
    assert Change.objects.filter(generation=2).count() == 4
    free(mode)
    assert rerate(mode).error == ""
    assert replayed_states(mode) == states(mode)


def test_going_over_to_another_system():
    mode = make_mode(system="elo")
    play("ab", "bc", "ca")
    switch_system(mode, system="trueskill", params={"tau": 0.1}, by=None, reason="Better.", now=NOW)
    line = AuditEntry.objects.get(act="switch system")
    assert (line.subject, line.reason) == ("mode duel", "Better.")
    assert line.note.startswith("system: elo → trueskill; ")
    assert rerate(mode).error == ""
    assert ParameterVersion.objects.in_force().filter(mode=mode).values_list("system", flat=True)[0] == "trueskill"
    fresh = make_mode("fresh", system="trueskill", params={"tau": 0.1})
    play("ab", "bc", "ca", mode="fresh", start=3)
    assert alike(states(mode), states(fresh))
    play("ab", start=9)
    play("ab", mode="fresh", start=19)
    assert alike(states(mode), states(fresh))
    rate_anew(mode)
    assert alike(states(mode), states(fresh))
    publish(mode, now=NOW)
    publish(fresh, now=NOW)
    assert list(invariants.violations(NOW)) == []


def test_a_system_that_cannot_rate_the_mode_is_refused():
    mode = make_mode(system="elo")
    with pytest.raises(Refused, match="teams of at most 1"):
        switch_system(mode, system="glicko-2", params={}, by=None, reason="Better.", now=NOW)
    with pytest.raises(Refused, match="already"):
        switch_system(mode, system="elo", params={}, by=None, reason="Better.", now=NOW)


def test_a_history_that_the_system_refuses_leaves_everything_as_it_was():
    mode = make_mode(system="elo")
    record(["a", "b"], ["c", "d"])
    lived = told(mode), ledger(mode)
    request_rerating(mode, reason="test", now=NOW)
    Rerating.objects.update(system="glicko-2")  # as if the mode had been narrowed since
    done = rerate(mode)
    assert done.error == "glicko-2 is only for one against one."
    assert (told(mode), ledger(mode)) == lived
    mode.refresh_from_db()
    assert (mode.generation, mode.lease_id) == (1, None)
    assert [violation.code for violation in invariants.violations(NOW)] == ["board.missing", "rerating.failed"]


@pytest.mark.django_db(transaction=True)
def test_it_ends_though_results_never_stop_coming(monkeypatch):
    mode = make_mode()
    play("ab", "bc")
    sent = []

    def rate_when_one_more_has_come(mode, **when):
        assert len(sent) < 20, "it goes on for as long as results come"
        if not connection.in_atomic_block:  # nobody records while the mode is held
            sent.append(record(["a"], ["d"], id=f"s{len(sent)}"))
        return backlog.rate_recorded(mode, **when)

    monkeypatch.setattr("ranking.rerating.lease.rate_recorded", rate_when_one_more_has_come)
    assert rate_anew(mode).error == ""
    assert sent
    assert not Match.objects.filter(event=None).exists()
    mode.refresh_from_db()
    assert mode.lease_id is None
