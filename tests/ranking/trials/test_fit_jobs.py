"""Fits as jobs: started once, done by one at a time, continued where somebody died, written nowhere else."""

import numpy as np
import pytest

from ranking import tasks
from ranking.models import Change, Event, FitRun, Match, Mode, ParameterVersion, Participation, Player, Rating, Rerating
from ranking.moderation.voids import void
from ranking.systems.base import Refused
from ranking.trials import fit_jobs
from ranking.trials.candidates import fittable_systems
from ranking.trials.fit_jobs import FITS
from ranking.trials.jobs import ATTEMPTS, LEASE
from ranking.trials.runs import KEPT, ask_for_fit, stop_run
from tests.support.clocks import Clock
from tests.support.factories import NOW, make_mode
from tests.support.fit_histories import play_duels, played_by_elo
from tests.support.savepoints import rolled_back

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _mode(module_db):
    """1,300 duels that Elo with another alpha foresees."""
    play_duels(make_mode(team_size_max=1), played_by_elo(0.35, np.random.default_rng(1), 1_300, 60))


@pytest.fixture(scope="module")
def expected(_mode):
    """The results of a fit that is done in one turn."""
    with rolled_back():
        return finished(ask(Mode.objects.get())).results


@pytest.fixture(autouse=True)
def _nothing_in_hand():
    FITS.in_hand = None


@pytest.fixture
def mode(db):
    return Mode.objects.get()


def ask(mode, *keys, **more):
    return ask_for_fit(mode, keys or ["elo"], by=None, now=NOW, **more)


def finished(run):
    assert FITS.work(Clock(), seconds=600, keep=False)
    run.refresh_from_db()
    return run


def test_a_fit_ends_with_a_candidate(mode):
    run = finished(ask(mode, "elo", "glicko-2"))
    assert (run.state, run.attempts, run.error, run.known, run.claimed_by) == ("done", 1, "", [], "")
    elo, glicko = run.results
    assert 0.7 < elo["params"]["alpha"] / 0.35 < 1.3
    assert (elo["recommended"], elo["matches"], elo["replays"] > 5) == (True, 1_300, True)
    assert set(glicko["params"]) >= {"period_days"}
    assert [row["title"].split(",")[0] for row in run.summary["ranking"]].count("elo") == 2  # fitted, and in force


def test_nothing_else_is_written(mode):
    tables = [Rating, Change, Participation, Event, Mode, ParameterVersion, Rerating]
    before = [list(table.objects.order_by("pk").values()) for table in tables]
    finished(ask(mode))
    assert [list(table.objects.order_by("pk").values()) for table in tables] == before


def test_many_short_turns_give_the_result_of_a_long_one(expected, mode):
    run, turns, clock = ask(mode), 0, Clock(step=2)
    while FitRun.objects.get(pk=run.pk).is_unfinished:
        assert FITS.work(clock, seconds=130, keep=False)
        turns += 1
        clock.now += LEASE
    assert turns > 1
    run.refresh_from_db()
    assert run.results == expected


def test_another_worker_goes_on_where_one_was_killed(expected, mode, monkeypatch):
    run, clock = ask(mode), Clock(step=2)
    assert FITS.work(clock, seconds=60, keep=True)
    noted = FitRun.objects.get(pk=run.pk)
    assert (noted.state, 0 < len(noted.known) < 15) == ("running", True)
    FITS.in_hand = None  # it dies
    assert not FITS.work(clock, seconds=60, keep=True)  # another one holds the lease yet
    clock.now += LEASE + LEASE
    replayed = []
    replays = fit_jobs.Fits
    monkeypatch.setattr(
        fit_jobs, "Fits", lambda *a, known, **k: replayed.append(dict(known)) or replays(*a, known=known, **k)
    )
    assert FITS.work(clock, seconds=9_999, keep=False)
    run.refresh_from_db()
    assert (run.state, run.results) == ("done", expected)
    assert len(replayed[0]) == len(noted.known)


def test_what_was_noted_is_forgotten_if_the_history_changed(mode):
    run, clock = ask(mode), Clock(step=2)
    assert FITS.work(clock, seconds=60, keep=False)
    digest = FitRun.objects.get(pk=run.pk).digest
    void([Match.objects.order_by("event")[5]], by=None, reason="cheated", now=NOW)
    Rerating.objects.all().delete()
    assert FITS.work(clock, seconds=9_999, keep=False)
    run.refresh_from_db()
    assert (run.state, run.digest != digest, run.results[0]["matches"]) == ("done", True, 1_299)


def test_a_run_that_breaks_off_again_and_again_is_given_up(mode, monkeypatch):
    run, clock = ask(mode), Clock(step=1)

    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(fit_jobs, "load_mode", broken)
    for _ in range(ATTEMPTS):
        assert FITS.work(clock, seconds=60, keep=False)
        clock.now += LEASE + LEASE
    assert not FITS.work(clock, seconds=60, keep=False)
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "ZeroDivisionError: oh")


def test_stopping_keeps_finished_results(mode):
    run, clock = ask(mode, "elo", "trueskill"), Clock(step=0.1)
    while not FitRun.objects.get(pk=run.pk).results:
        assert FITS.work(clock, seconds=20, keep=True)
    assert stop_run(run, now=NOW)
    assert not stop_run(run, now=NOW)
    FITS.work(clock, seconds=60, keep=True)
    run.refresh_from_db()
    assert (run.state, [result["system"] for result in run.results]) == ("stopped", ["elo"])
    assert not FITS.work(clock, seconds=60, keep=True)


def test_one_at_a_time_and_none_meanwhile(mode):
    ask(mode)
    with pytest.raises(Refused, match="fit of Duel"):
        ask(mode)


def test_too_few_matches_fail_with_a_sentence(mode):
    for model in (Participation, Match, Player):
        model.objects.all().delete()
    small = make_mode("small", team_size_max=1)
    with pytest.raises(Refused, match="no rated matches"):
        ask(small)
    play_duels(small, played_by_elo(0.35, np.random.default_rng(1), 60, 20))
    run = finished(ask(small))
    assert (run.state, run.error) == (
        "failed", "A fit needs 400 decided matches in the first two thirds of the history, which has 40."
    )  # fmt: skip


def test_a_system_without_parameters_is_told_so_and_ranked(mode):
    run = finished(ask(mode, "elo", "team-ratio"))
    assert run.results[1]["error"] == "team-ratio has no parameters to fit."
    assert {row["title"] for row in run.summary["ranking"]} >= {"elo, fitted", "team-ratio, as it is"}


def test_a_system_that_cannot_rate_the_mode_is_refused(mode):
    teams = make_mode("teams")
    with pytest.raises(Refused, match=r"glicko-2 .* at most 1\b"):
        ask(teams, "glicko-2")
    assert fittable_systems(mode)[0] == "elo"
    assert "glicko-2" not in fittable_systems(teams)


def test_old_runs_are_dropped_and_still_counted(mode):
    for _ in range(KEPT + 3):
        stop_run(ask(mode), now=NOW)
    newest = FitRun.objects.order_by("-id").first()
    assert (FitRun.objects.count(), newest.number) == (KEPT, KEPT + 3)


def test_the_task_goes_on_with_a_fit(mode):
    run = ask(mode)
    while FitRun.objects.get(pk=run.pk).is_unfinished:
        tasks.continue_fits()
    assert FitRun.objects.get(pk=run.pk).state == "done"
