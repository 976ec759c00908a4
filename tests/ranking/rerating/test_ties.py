"""Ties of many follow the newest rule from a version of parameters on; older versions keep the chain."""

import pytest

from ranking.models import Change, ParameterVersion
from ranking.modes.changes import change_parameters
from ranking.modes.parameters import changed_params, current_parameters, params_of
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db


def make_old_mode(**params):
    """A mode whose parameters are from before the rule."""
    mode = make_mode(system="trueskill", team_count=4)
    ParameterVersion.objects.update(params={"staying_is_better": True, **params})
    return mode


def tie(number):
    """A match whose four players share the first place. Returns their display ratings after it."""
    names = [f"{name}{number}" for name in "abcd"]
    record(*[[name] for name in names], places=[1] * 4, id=f"m{number}", mode="duel")
    return shown()[-4:]


def shown():
    return list(Change.objects.live().order_by("event", "pk").values_list("display_after", flat=True))


@pytest.mark.parametrize("system", ["trueskill", "weng-lin"])
def test_new_modes_and_new_versions_have_the_rule_and_old_versions_have_not(system):
    mode = make_mode(system=system)
    assert current_parameters(mode).params == {"staying_is_better": True, "counts_shares": True, "ties": "group"}
    ParameterVersion.objects.update(params={"staying_is_better": True})
    assert params_of(current_parameters(mode)) == {"staying_is_better": True, "counts_shares": False, "ties": "chain"}
    assert changed_params(current_parameters(mode)) == {"counts_shares": False, "ties": "chain"}
    assert change_parameters(mode, params={}, now=NOW).params == {
        "staying_is_better": True,
        "counts_shares": True,
        "ties": "group",
    }
    assert change_parameters(mode, params={"ties": "chain"}, now=NOW).number == 3


def test_other_systems_have_no_such_parameter():
    mode = make_mode(system="elo")
    ParameterVersion.objects.update(params={})
    assert params_of(current_parameters(mode)) == {"staying_is_better": False, "counts_shares": False}


def test_a_match_keeps_the_rule_of_its_time_in_a_rerating():
    mode = make_old_mode()
    old = tie(0)
    change_parameters(mode, params={}, now=NOW)
    new = tie(1)
    assert len(set(old)) > 1
    assert len(set(new)) == 1
    assert rate_anew(mode).error == ""
    assert shown() == [*old, *new]
