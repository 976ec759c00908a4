"""A mode's evaluation in the admin: asked for by who may, watched, read, taken away as CSV."""

import csv
import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from ranking.models import EvaluationRun, Mode, Player
from ranking.standings.publishing import publish
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.runs import ask_for_evaluation, stop_run
from tests.support.factories import NOW, make_mode, make_staff, record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_in_hand():
    EVALUATIONS.in_hand = None


@pytest.fixture
def mode(_mode, db):
    """Six matches of four players."""
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    mode = make_mode()
    for winner, loser in ["ab", "ac", "ad", "bc", "bd", "cd"]:
        record([winner], [loser])
    publish(mode, now=NOW)


def page(mode, run=None, name="evaluation", *more):
    if run is None:
        return reverse("admin:ranking_mode_evaluate", args=[mode.pk])
    return reverse(f"admin:ranking_mode_{name}", args=[mode.pk, run.pk, *more])


def ask(mode, *systems):
    return ask_for_evaluation(mode, [{"system": key, "params": {}} for key in systems], by=None, now=NOW)


def done(mode, *systems):
    run = ask(mode, *systems)
    assert EVALUATIONS.work(lambda: NOW, seconds=60, keep=False)
    return run


def allowed(client, permission):
    User.objects.get(username="clerk").user_permissions.add(Permission.objects.get(codename=permission))
    return client


def test_asking(mode, boss):
    ticked = {"use__elo": "on", "elo__alpha": "0.5", "use__trueskill": "on", "trueskill__beta": ""}
    asked = boss.post(page(mode), ticked)
    run = EvaluationRun.objects.get()
    assert asked.url == page(mode, run)
    assert run.asked_by.username == "boss"
    assert run.candidates == [
        {"system": "elo", "params": {}},
        {"system": "elo", "params": {"alpha": 0.5}},
        {"system": "trueskill", "params": {}},
    ]
    assert "Waiting" in boss.get(asked.url).content.decode()


def test_refusals_are_sentences(mode, boss):
    refused = boss.post(page(mode), {"use__elo": "on", "elo__alpha": "-1"})
    assert [*refused.context["form"].errors] == ["elo__alpha"]
    assert "not -1.0" in refused.context["form"].errors["elo__alpha"][0]
    ask(mode)
    running = boss.post(page(mode), {"use__trueskill": "on"})
    assert [*running.context["form"].errors] == ["__all__"]
    unticked = boss.post(page(mode), {"elo__alpha": "-1"})
    assert list(unticked.context["form"].errors) == ["__all__"]


def test_what_cannot_rate_the_mode_is_not_offered(mode, boss):
    said = boss.get(page(mode)).content.decode()
    assert "Glicko-2 can't be tried: " in said
    assert "use__glicko-2" not in said


def test_results(mode, boss):
    run = done(mode, "trueskill", "weng-lin")
    shown = boss.get(page(mode, run)).context
    assert [title for title, _ in shown["figures"]] == [
        "Gaussian Elo", "Bayesian skill (TrueSkill)", "Weng–Lin (Plackett–Luce)",
    ]  # fmt: skip
    assert shown["chosen_title"] == "Bayesian skill (TrueSkill)"
    assert "6 decided matches" in shown["advice"][0]
    assert [row.name for row in shown["boards"]["top"]] == ["a", "b", "c", "d"]
    assert [(heading, bool(svg)) for heading, _, svg in shown["drawings"]] == [
        ("Calibration", True),
        ("Log-loss over time", False),  # too few predictions
        ("Ratings of the active", True),
        ("Mean rating over time", False),  # all at once
    ]


def test_a_candidate_is_chosen_by_its_address(mode, boss):
    run, wanted = done(mode, "trueskill", "weng-lin"), {"0": 0, "2": 2, "3": 1, "-1": 1, "x": 1, "": 1, "²": 1}
    given = {asked: boss.get(page(mode, run), {"candidate": asked}).context["chosen"] for asked in wanted}
    assert given == wanted


@pytest.mark.parametrize("systems", [[], ["trueskill", "weng-lin", "two-layer"]], ids=["1", "4"])
def test_queries(mode, boss, systems, django_assert_num_queries):
    """Session, account, mode, parameters, the run, its players' names, the list of runs."""
    run = done(mode, *systems)
    with django_assert_num_queries(7):
        boss.get(page(mode, run))
    done(mode)
    done(mode)
    with django_assert_num_queries(7):
        boss.get(page(mode, run))


def test_queries_of_a_mode_never_evaluated(mode, boss, django_assert_num_queries):
    with django_assert_num_queries(6):
        boss.get(page(mode))


def test_polling(mode, boss, django_assert_num_queries):
    run, htmx = ask(mode), {"HX-Request": "true"}
    with django_assert_num_queries(4):
        part = boss.get(page(mode, run), headers=htmx)
    assert part.content.decode().strip().startswith('<div class="module progress-card" hx-get=')
    assert "HX-Refresh" not in part.headers
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in boss.get(page(mode, run)).content.decode()
    EVALUATIONS.work(lambda: NOW, seconds=60, keep=False)
    assert boss.get(page(mode, run), headers=htmx).headers["HX-Refresh"] == "true"
    assert "refresh" not in boss.get(page(mode, run)).content.decode()


def test_stopping(mode, boss):
    run = ask(mode)
    assert boss.get(page(mode, run, "evaluation_stop")).status_code == 403
    for said in ("Stopped.", "It had ended already."):
        answer = boss.post(page(mode, run, "evaluation_stop"), follow=True)
        assert [str(message) for message in answer.context["messages"]] == [said]
    assert "was stopped" in boss.get(page(mode, run)).content.decode()


def test_who_may(mode, clerk):
    run = done(mode)
    pages = [page(mode), page(mode, run), page(mode, run, "evaluation_file", "figures")]
    acts = [page(mode), page(mode, run, "evaluation_stop")]
    assert [clerk.get(address).status_code for address in pages] == [403] * 3
    assert [allowed(clerk, "view_mode").get(address).status_code for address in pages] == [200] * 3
    assert [clerk.post(address).status_code for address in acts] == [403] * 2
    assert '<form class="module candidates"' not in clerk.get(page(mode)).content.decode()
    assert [allowed(clerk, "change_mode").post(address).status_code for address in acts] == [302] * 2


def test_a_run_is_found_under_its_own_mode_only(mode, boss):
    run, other = done(mode), make_mode("other")
    assert boss.get(page(other, run)).status_code == 404
    assert boss.get(page(mode, run, "evaluation_file", "secrets")).status_code == 404


def read(client, mode, run, name):
    answer = client.get(page(mode, run, "evaluation_file", name))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="duel-{run.pk}-{name}.csv"'
    return list(csv.reader(answer.content.decode().splitlines()))


def test_figures_as_csv(mode, boss):
    heading, elo, trueskill = read(boss, mode, done(mode, "trueskill"), "figures")
    assert heading == [
        "system", "matches", "decided", "error", "error_half", "log_loss", "difference", "reach", "brier", "slope",
        "inflation", "seconds",
    ]  # fmt: skip
    assert elo[:3] == ["Gaussian Elo", "6", "6"]
    assert (elo[6:8], float(trueskill[6]), float(trueskill[7]) > 0) == (
        ["", ""], pytest.approx(float(trueskill[5]) - float(elo[5])), True,
    )  # fmt: skip


def test_a_candidate_is_shown_by_experience_and_upset_beside_the_system_in_force(mode, boss):
    body = boss.get(page(mode, done(mode, "trueskill")) + "?candidate=1").content.decode()
    assert "Log-loss over time" in body
    assert "dashed line" in body
    assert [f'<th scope="row">{span}</th>' in body for span in ("0 to below 10", "50 and more", "15 to 30 %")] == [
        True
    ] * 3


def test_boards_as_csv_harmless_to_spreadsheets(mode, boss):
    Player.objects.filter(key="a").update(name="=HYPERLINK(1)")
    lines = read(boss, mode, done(mode), "boards")
    assert lines[0] == ["system", "list", "player", "rank", "rating", "rank today", "rating today"]
    assert lines[1][:4] == ["Gaussian Elo", "top", "'=HYPERLINK(1)", "1"]
    assert lines[1][4] == lines[1][6]
    assert len(lines) == 5


def test_a_mode_leads_to_its_evaluation(mode, boss):
    address = reverse("admin:ranking_mode_change", args=[mode.pk])
    assert f'<a href="{page(mode)}">Evaluate</a>' in boss.get(address).content.decode()


def test_others_are_led_there_once_there_is_something_to_see(mode):
    user = make_staff("viewer", "watcher")
    watcher = Client()
    watcher.force_login(user)
    address = reverse("admin:ranking_mode_change", args=[mode.pk])
    for seen in (False, True):
        if seen:
            ask(mode)
        assert (f'href="{page(mode)}"' in watcher.get(address).text) == seen
        assert watcher.get(page(mode)).status_code == (200 if seen else 403)


def test_failed_runs_say_why(mode, boss):
    run = ask(mode)
    EvaluationRun.objects.update(candidates=[{"system": "chess", "params": {}}])
    EVALUATIONS.work(lambda: NOW, seconds=60, keep=False)
    EvaluationRun.objects.update(candidates=[{"system": "elo", "params": {}}])
    assert re.search(r"failed\. .*chess", boss.get(page(mode, run)).content.decode())
    assert not stop_run(run, now=NOW)
