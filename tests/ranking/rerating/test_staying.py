"""Staying is always better from a version of parameters on; matches from before keep their rule unless asked."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ranking.models import Change, ParameterVersion
from ranking.modes.changes import change_parameters
from ranking.modes.parameters import current_parameters, params_of, staying_for_all
from ranking.systems.base import Refused
from ranking.validation.match_report import PlayerReport
from tests.support.factories import NOW, make_mode, record
from tests.support.reratings import rate_anew

pytestmark = pytest.mark.django_db


def play(first, last):
    """Matches that a wins against b, a minute apart."""
    for index in range(first, last):
        record(["a"], ["b"], id=f"m{index}", mode="duel", ended_at=NOW - dt.timedelta(minutes=100 - index))


def leave(index):
    """A match that a leaves half-way. Returns the loss in hundredths."""
    gone = PlayerReport("a", seconds=300, left_early=True)
    ended_at = NOW - dt.timedelta(minutes=100 - index)
    record([gone], ["b"], id=f"m{index}", mode="duel", ended_at=ended_at, duration=600)
    return losses()[-1]


def losses():
    """What a lost by each leaving, in hundredths."""
    left = Change.objects.live().filter(outcome=Change.LEFT).order_by("event")
    return [change.display_before - change.display_after for change in left]


def make_old_mode():
    """A mode whose parameters are from before the rule."""
    mode = make_mode(system="team-ratio")
    ParameterVersion.objects.update(params={})
    return mode


def test_new_modes_and_new_versions_have_the_rule_and_old_versions_have_not():
    mode = make_mode()
    assert current_parameters(mode).params == {"staying_is_better": True, "counts_shares": True}
    ParameterVersion.objects.update(params={})
    assert params_of(current_parameters(mode)) == {"staying_is_better": False, "counts_shares": False}
    assert change_parameters(mode, params={}, now=NOW).params == {"staying_is_better": True, "counts_shares": True}
    assert change_parameters(mode, params={"staying_is_better": False}, now=NOW).number == 3


def test_a_match_keeps_the_rule_of_its_time_in_a_rerating():
    mode = make_old_mode()
    play(0, 20)
    old = leave(20)
    change_parameters(mode, params={}, now=NOW)
    play(21, 24)
    new = leave(24)
    assert new > old  # b is rated lower, so losing costs more than a twentieth
    assert rate_anew(mode).error == ""
    assert losses() == [old, new]


def test_the_operator_asks_for_the_rule_in_old_matches_too():
    mode = make_old_mode()
    play(0, 20)
    old = leave(20)
    out = StringIO()
    call_command("rerate", "duel", staying=True, stdout=out)
    assert out.getvalue().startswith("21 matches of duel ")
    [new] = losses()
    assert new > old
    mode.refresh_from_db()
    assert current_parameters(mode).params == {"staying_is_better": True, "counts_shares": False}
    with pytest.raises(CommandError, match="all matches of duel"):
        call_command("rerate", "duel", staying=True)
    with pytest.raises(Refused):
        staying_for_all(mode)


def test_asking_for_the_rule_concerns_the_whole_history():
    make_old_mode()
    with pytest.raises(CommandError, match="leave out --since"):
        call_command("rerate", "duel", staying=True, since=5)


@pytest.mark.parametrize(
    ("system", "params"),
    [
        ("elo", {"alpha_matches": 5, "alpha_first": 0.3}),
        ("battle-points", {"provisional_matches": 4}),
    ],
)
def test_the_number_of_matches_before_is_the_same_lived_and_replayed(system, params):
    mode = make_mode(system=system, params=params, team_size_max=1)
    play(0, 8)
    lived = shown()
    assert len({abs(before - after) for before, after in lived}) > 2
    rate_anew(mode)
    assert shown() == lived
    events = list(Change.objects.live().order_by("event").values_list("event", flat=True).distinct())
    rate_anew(mode, since=events[5])
    assert shown() == lived


def shown():
    changes = Change.objects.live().order_by("event", "player")
    return list(changes.values_list("display_before", "display_after"))
