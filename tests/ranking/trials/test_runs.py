"""Evaluations as jobs: asked for once, done by one at a time, begun anew where somebody died, written nowhere else."""

import datetime as dt

import pytest

from ranking import tasks
from ranking.models import Change, EvaluationRun, Event, Mode, Participation, Rating, Snapshot
from ranking.standings.publishing import publish
from ranking.systems.base import Refused
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.jobs import ATTEMPTS, LEASE
from ranking.trials.runs import KEPT, ask_for_evaluation, stop_run
from tests.support.clocks import Clock
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
ELO, TRUESKILL = {"system": "elo", "params": {}}, {"system": "trueskill", "params": {}}
STRONG_ELO = {"system": "elo", "params": {"alpha": 0.5}}


@pytest.fixture(autouse=True)
def _nothing_in_hand():
    EVALUATIONS.in_hand = None


def die():
    """What a killed process leaves in memory."""
    EVALUATIONS.in_hand = None


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    """Six matches of four players; a beats everybody."""
    played("duel")


@pytest.fixture
def mode(db):
    return Mode.objects.get(slug="duel")


def played(slug):
    mode = make_mode(slug)
    for winner, loser in ["ab", "ac", "ad", "bc", "bd", "cd"]:
        record([winner], [loser], mode=slug)
    publish(mode, now=NOW)
    return mode


def ask(mode, *candidates):
    return ask_for_evaluation(mode, candidates, by=None, now=NOW)


def work_a_little(clock, *, keep=True):
    """One chunk, then the time is up."""
    return EVALUATIONS.work(clock, seconds=0, keep=keep)


def finished(run):
    assert EVALUATIONS.work(Clock(), seconds=60, keep=False)
    run.refresh_from_db()
    return run


def figures(run):
    return [(each["system"], each["matches"], each["figures"], each["board"]) for each in run.results]


def test_what_is_in_force_is_tried_first_and_everything_once(mode):
    run = ask(mode, TRUESKILL, ELO, STRONG_ELO, TRUESKILL, {"system": "elo", "params": {"alpha": 0.07}})
    assert run.candidates == [ELO, TRUESKILL, STRONG_ELO]
    done = finished(run)
    assert (done.state, done.percent, done.attempts, done.error) == ("done", 100, 1, "")
    assert [result["system"] for result in done.results] == ["elo", "trueskill", "elo"]
    assert [result["figures"]["decided"] for result in done.results] == [6, 6, 6]


def test_the_board_under_what_is_in_force_is_todays(mode):
    board = finished(ask(mode)).results[0]["board"]
    assert (board["listed"], board["correlation"], board["kept"]) == (4, pytest.approx(1), 4)
    assert all((p["rank"], p["hundredths"]) == (p["rank_today"], p["hundredths_today"]) for p in board["top"])
    assert (board["risers"], board["fallers"]) == ([], [])


def test_only_the_listed_are_on_the_board(mode):
    Rating.objects.filter(player__key="a").update(listed=False)
    board = finished(ask(mode, TRUESKILL)).results[1]["board"]
    assert [place["rank"] for place in board["top"]] == [1, 2, 3]


def test_nothing_else_is_written(mode):
    tables = [Rating, Change, Participation, Event, Snapshot, Mode]
    before = [list(table.objects.order_by("pk").values()) for table in tables]
    finished(ask(mode, TRUESKILL, STRONG_ELO))
    assert [list(table.objects.order_by("pk").values()) for table in tables] == before


REFUSED = [
    ([{"system": "chess", "params": {}}], "There is no rating system 'chess'"),
    ([{"system": "elo", "params": {"beta": 0}}], "elo: parameter beta must be greater than 0"),
    ([{"system": "glicko-2", "params": {}}], "glicko-2 rates teams of at most 1"),
    ([{"system": "elo", "params": {"alpha": n}} for n in range(1, 10)], "At most 8 candidates at once; these are 9"),
]


@pytest.mark.parametrize(("candidates", "sentence"), REFUSED)
def test_bad_candidates_are_refused(mode, candidates, sentence):
    with pytest.raises(Refused, match=sentence):
        ask(mode, *candidates)
    assert not EvaluationRun.objects.exists()


def test_without_matches_there_is_nothing_to_evaluate():
    with pytest.raises(Refused, match="Squad has"):
        ask(make_mode("squad"))


def test_one_at_a_time_a_mode(mode):
    first = ask(mode)
    with pytest.raises(Refused, match="evaluation of Duel"):
        ask(mode)
    finished(first)
    assert ask(mode).pk > first.pk


def test_one_at_a_time_on_all_machines(mode):
    first, second = ask(mode), ask(played("squad"))
    clock = Clock()
    work_a_little(clock)
    die()
    assert not work_a_little(clock)  # somebody holds the first
    second.refresh_from_db()
    assert second.state == "waiting"
    clock.now += LEASE * 2
    assert EVALUATIONS.work(clock, seconds=60, keep=False)
    assert EVALUATIONS.work(clock, seconds=60, keep=False)
    assert not EVALUATIONS.work(clock, seconds=60, keep=False)
    assert set(EvaluationRun.objects.values_list("pk", "state")) == {(first.pk, "done"), (second.pk, "done")}


def test_a_process_goes_on_with_what_it_has_in_hand(mode):
    run, clock, turns = ask(mode, TRUESKILL), Clock(), 0
    while work_a_little(clock):
        turns += 1
    run.refresh_from_db()
    assert (run.state, turns) == ("done", 2 * (6 + 1) + 1)


def test_progress_is_noted_every_second(mode):
    run, clock = ask(mode, TRUESKILL), Clock(step=0.6)
    seen = []
    while work_a_little(clock):
        run.refresh_from_db()
        seen.append(run.percent)
    assert seen == sorted(seen)
    assert {50, 100} < set(seen)
    assert len(set(seen)) > 4


def test_a_job_gives_back_what_it_cannot_finish(mode):
    run, clock = ask(mode, TRUESKILL), Clock()
    work_a_little(clock, keep=False)
    run.refresh_from_db()
    assert (run.state, run.claimed_by, run.claimed_until) == ("running", "", None)
    assert finished(run).state == "done"


def test_a_killed_process_costs_the_candidate_in_hand_only(mode):
    expected = figures(finished(ask(mode, TRUESKILL)))
    run, clock = ask(mode, TRUESKILL), Clock()
    for _ in range(9):  # the first candidate, and two matches of the second
        work_a_little(clock)
    die()
    assert not work_a_little(clock)
    run.refresh_from_db()
    first = run.results[0]
    clock.now += LEASE + dt.timedelta(seconds=1)
    assert EVALUATIONS.work(clock, seconds=60, keep=False)
    run.refresh_from_db()
    assert (run.state, run.results[0], figures(run)) == ("done", first, expected)


def test_who_lost_the_claim_writes_nothing(mode):
    run, clock = ask(mode, TRUESKILL), Clock(step=2)
    work_a_little(clock)
    stale = EVALUATIONS.in_hand
    die()
    clock.now += LEASE * 2
    work_a_little(clock)
    holder, noted = EVALUATIONS.in_hand, EvaluationRun.objects.values().get()
    EVALUATIONS.in_hand = stale
    work_a_little(clock)
    assert EVALUATIONS.in_hand is None
    assert EvaluationRun.objects.values().get() == noted
    EVALUATIONS.in_hand = holder
    done = finished(run)
    assert (done.state, len(done.results), done.attempts) == ("done", 2, 1)


def test_stopped(mode):
    run, clock = ask(mode, TRUESKILL), Clock(step=2)
    for _ in range(8):
        work_a_little(clock)
    assert stop_run(run, now=clock())
    assert not stop_run(run, now=clock())
    while work_a_little(clock):
        pass
    run.refresh_from_db()
    assert (run.state, len(run.results), run.claimed_by) == ("stopped", 1, "")
    assert finished(ask(mode)).state == "done"


def test_given_up_after_so_many_attempts(mode):
    run, clock = ask(mode), Clock()
    for _ in range(ATTEMPTS):
        assert work_a_little(clock)
        die()
        clock.now += LEASE * 2
    assert not work_a_little(clock)
    run.refresh_from_db()
    sentence = "Given up after 3 attempts, each broken off before it was done."
    assert (run.state, run.error) == ("failed", f"{sentence} `manage.py evaluate --mode` has no limit of time.")


def test_a_fault_is_tried_again_then_told(mode):
    run, clock = ask(mode), Clock()
    EvaluationRun.objects.update(candidates=[{"system": "elo"}])
    for _ in range(ATTEMPTS + 1):
        work_a_little(clock)
        clock.now += LEASE * 2
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "KeyError: 'params'")


def test_a_refusal_is_told_at_once(mode):
    run = ask(mode)
    EvaluationRun.objects.update(candidates=[{"system": "chess", "params": {}}])
    done = finished(run)
    assert done.state == "failed"
    assert "'chess'" in done.error


def test_a_modes_newest_runs_are_kept(mode):
    for _ in range(KEPT + 2):
        stop_run(ask(mode), now=NOW)
    assert EvaluationRun.objects.count() == KEPT


def test_what_is_played_later_is_left_out(mode):
    run = ask(mode)
    record(["a"], ["b"])
    assert finished(run).results[0]["matches"] == 6


def test_the_job(mode):
    run = ask(mode, TRUESKILL)
    tasks.continue_evaluations()
    run.refresh_from_db()
    assert run.state == "done"
