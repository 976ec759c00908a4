"""A mode's fit in the admin: started by who may, watched, read, and used from now on or for the whole history."""

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from ranking.models import FitRun, Mode, Rerating
from ranking.modes.parameters import changed_params, current_parameters
from ranking.trials.fit_jobs import FITS
from ranking.trials.runs import ask_for_fit, stop_run
from tests.support.factories import NOW, make_mode, record
from tests.support.fit_results import stored_fit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_in_hand():
    FITS.in_hand = None


@pytest.fixture
def mode(_mode, db):
    return Mode.objects.get()


@pytest.fixture(scope="module")
def _mode(module_db):
    make_mode()
    for winner, loser in ["ab", "bc", "ca"]:
        record([winner], [loser])


def page(mode, run=None, name="fit_run", *more):
    if run is None:
        return reverse("admin:ranking_mode_fit", args=[mode.pk])
    return reverse(f"admin:ranking_mode_{name}", args=[mode.pk, run.pk, *more])


def ask(mode, *keys):
    return ask_for_fit(mode, keys or ["elo"], by=None, now=NOW)


def allowed(client, permission):
    User.objects.get(username="clerk").user_permissions.add(Permission.objects.get(codename=permission))
    return client


def test_starting(mode, boss):
    assert "Gaussian Elo (in force)" in boss.get(page(mode)).content.decode()
    asked = boss.post(page(mode), {"systems": ["elo", "trueskill"], "impact": "on"})
    run = FitRun.objects.get()
    assert (asked.url, run.asked_by.username, run.impact) == (page(mode, run), "boss", True)
    assert run.candidates == [{"system": "elo", "params": {}}, {"system": "trueskill", "params": {}}]
    assert "Waiting" in boss.get(asked.url).content.decode()


def test_refusals_are_sentences(mode, boss):
    assert [*boss.post(page(mode), {}).context["form"].errors] == ["systems"]
    assert "systems" in boss.post(page(mode), {"systems": ["chess"]}).context["form"].errors
    ask(mode)
    running = boss.post(page(mode), {"systems": ["elo"]})
    assert [*running.context["form"].errors] == ["__all__"]


def test_who_may_look_may_not_start_stop_or_use(mode, clerk):
    run, looking = stored_fit(mode), allowed(clerk, "view_mode")
    shown = looking.get(page(mode, run)).content.decode()
    assert "Recommended" in shown
    assert "Use these…" not in shown
    assert 'value="Fit"' not in shown
    assert looking.post(page(mode), {"systems": ["elo"]}).status_code == 403
    assert looking.post(page(mode, run, "fit_stop")).status_code == 403
    assert looking.get(page(mode, run, "fit_use", "0")).status_code == 403
    starting = allowed(clerk, "change_mode")
    assert starting.get(page(mode, run, "fit_use", "0")).status_code == 200


def test_watching(mode, boss):
    run = ask(mode)
    part = boss.get(page(mode, run), headers={"HX-Request": "true"})
    assert part.templates[0].name == "admin/ranking/mode/fit_progress.html"
    assert stop_run(run, now=NOW)
    assert boss.get(page(mode, run), headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "was stopped" in boss.get(page(mode, run)).content.decode()


def test_stopping(mode, boss):
    run = ask(mode)
    assert boss.get(page(mode, run, "fit_stop")).status_code == 403
    assert boss.post(page(mode, run, "fit_stop")).url == page(mode, run)
    run.refresh_from_db()
    assert run.state == "stopped"


def test_what_a_fit_shows(mode, boss):
    text = boss.get(page(mode, stored_fit(mode))).content.decode()
    expected = [
        "+0.0200 (+0.0100 to +0.0300)",
        "lower in 1 of 1",
        "Use Gaussian Elo",
        "600 listed players",
        "2580 to 2600",
        "more kills",
        "fit 1 of Duel",
    ]
    assert [part for part in expected if part not in text] == []


@pytest.mark.parametrize("runs", [1, 3])
def test_queries(mode, boss, runs, django_assert_num_queries):
    """Session, account, mode, the run, the parameters in force, the list of runs; and once more for the form."""
    for _ in range(runs):
        run = stored_fit(mode)
    boss.get(page(mode, run))
    with django_assert_num_queries(7):
        boss.get(page(mode, run))


def test_using_from_now_on(mode, boss):
    run = stored_fit(mode)
    asked = boss.post(page(mode, run, "fit_use", "0"), {"when": "now", "reason": "better"})
    assert asked.url == page(mode, run)
    assert changed_params(current_parameters(mode)) == {"alpha": 0.3}
    assert "since this fit" in boss.get(asked.url).content.decode()


def test_using_with_the_whole_history(mode, boss):
    run = stored_fit(mode)
    boss.post(page(mode, run, "fit_use", "0"), {"when": "anew", "reason": "better"})
    rerating = Rerating.objects.get()
    assert (rerating.system, rerating.params, rerating.reason, rerating.by.username) == (
        "elo", {"alpha": 0.3}, "better", "boss"
    )  # fmt: skip
    assert changed_params(current_parameters(mode)) == {}


def test_what_is_not_recommended_has_to_be_wanted(mode, boss):
    run = stored_fit(mode, recommended=False)
    address = page(mode, run, "fit_use", "0")
    assert "keep the defaults" in boss.get(address).content.decode()
    assert "anyway" in boss.post(address, {"when": "now", "reason": "hm"}).context["form"].errors
    assert changed_params(current_parameters(mode)) == {}
    boss.post(address, {"when": "now", "reason": "hm", "anyway": "on"})
    assert changed_params(current_parameters(mode)) == {"alpha": 0.3}


def test_another_system_can_only_be_used_for_the_whole_history(mode, boss):
    run = stored_fit(mode, system="trueskill", params={"beta": 5.0})
    form = boss.get(page(mode, run, "fit_use", "0")).context["form"]
    assert [value for value, _ in form.fields["when"].choices] == ["anew"]


@pytest.mark.parametrize("name", ["1", "ranking", "x"])
def test_no_such_candidate(mode, boss, name):
    assert boss.get(page(mode, stored_fit(mode), "fit_use", name)).status_code == 404


def test_the_modes_page_leads_here(mode, boss):
    address = reverse("admin:ranking_mode_change", args=[mode.pk])
    assert f'<a href="{page(mode)}">Fit…</a>' in boss.get(address).content.decode()
