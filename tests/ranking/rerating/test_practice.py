"""A defeat never raises a rating of margin from a version of parameters on; older versions keep practice in defeat."""

from dataclasses import replace

import pytest

from ranking.models import Change, ParameterVersion
from ranking.modes.changes import change_parameters
from ranking.modes.parameters import changed_params, current_parameters, params_of, system_of
from ranking.standings.publishing import publish
from ranking.trials.evaluation_jobs import EVALUATIONS
from ranking.trials.runs import ask_for_evaluation
from tests.support.clocks import Clock
from tests.support.factories import NOW, make_mode, make_report, make_source, record_result
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db

# Hundredths of ratings (a newcomer has 1100) and hidden means after 10:9 between newcomers; OLD is from the code before
# `practice_in_defeat`.
OLD = [(115100, 0.04850050779891525), (111000, 0.0014994922010847511)]
NEW = [(115100, 0.04850050779891525), (110000, -0.02350050779891525)]


def make_old_mode():
    """A mode whose parameters are from before the rule."""
    mode = make_mode(system="margin")
    ParameterVersion.objects.update(params={"staying_is_better": True, "counts_shares": True})
    return mode


def duel(number):
    """A duel of two newcomers. Returns what is known of them after it, the winner first."""
    report = make_report([f"winner{number}"], [f"loser{number}"], id=f"m{number}")
    teams = tuple(replace(team, score=score) for team, score in zip(report.teams, (10, 9), strict=True))
    record_result(replace(report, teams=teams), source=make_source(), now=NOW)
    return shown()[-2:]


def shown():
    columns = Change.objects.live().order_by("event", "pk")
    return list(columns.values_list("display_after", "mu_after"))


def test_new_modes_and_new_versions_have_the_rule_and_old_versions_have_not():
    mode = make_mode(system="margin")
    newest = {"staying_is_better": True, "counts_shares": True, "practice_in_defeat": False}
    assert current_parameters(mode).params == newest
    assert changed_params(current_parameters(mode)) == {}
    ParameterVersion.objects.update(params={"staying_is_better": True, "counts_shares": True, "practice": 0.3})
    old = current_parameters(mode)
    assert params_of(old) == {
        "staying_is_better": True,
        "counts_shares": True,
        "practice_in_defeat": True,
        "practice": 0.3,
    }
    assert system_of(old).practice_in_defeat
    assert changed_params(old) == {"practice_in_defeat": True, "practice": 0.3}
    assert change_parameters(mode, params={}, now=NOW).params == newest


def test_a_match_keeps_the_rule_of_its_time_in_a_rerating():
    mode = make_old_mode()
    old = duel(0)
    change_parameters(mode, params={}, now=NOW)
    new = duel(1)
    assert (old, new) == (OLD, NEW)
    assert rate_anew(mode).error == ""
    assert shown() == [*old, *new]


def test_a_dry_run_of_the_new_rule_shows_the_difference():
    mode = make_old_mode()
    duel(0)
    publish(mode, now=NOW)
    run = ask_for_evaluation(mode, [{"system": "margin", "params": {}}], by=None, now=NOW)
    assert EVALUATIONS.work(Clock(), seconds=60, keep=False)
    run.refresh_from_db()
    assert [candidate["params"] for candidate in run.candidates] == [{"practice_in_defeat": True}, {}]
    today, dry = (result["board"]["top"] for result in run.results)
    assert [place["hundredths"] for place in today] == [hundredths for hundredths, _ in OLD]
    assert [(place["hundredths_today"], place["hundredths"]) for place in dry] == [
        (old, new) for (old, _), (new, _) in zip(OLD, NEW, strict=True)
    ]
    assert shown() == OLD
