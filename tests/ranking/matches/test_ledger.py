"""Replaying the ledger gives what was lived, whatever was sent, however often and in whatever order."""

import random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ranking.matches import invariants
from ranking.matches.recording import record_results
from ranking.models import Match, Mode, Rating
from ranking.standings.publishing import publish
from ranking.systems.registry import get_system
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, make_source
from tests.support.replay import replayed_states
from tests.support.reports import results

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("system", ["elo", "team-ratio"])
@examples(25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(results(), st.integers(1, 5)), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_replay_is_what_was_lived(system, sent, rng: random.Random):
    Mode.objects.filter(slug="duel").update(slug=f"duel-{Mode.objects.count()}")
    mode = make_mode(system=system)
    source = make_source(f"source-{Mode.objects.count()}")
    reports = [report for report, copies in sent for _ in range(copies if rng.random() < 0.3 else 1)]
    while reports:
        size = rng.randint(1, 8)
        record_results(reports[:size], source=source, now=NOW)
        reports = reports[size:]
        publish(mode, now=NOW)
    lived = {rating.player_id: rating.state for rating in Rating.objects.filter(mode=mode)}
    rules = get_system(system)
    newcomer = rules.to_state(rules.newcomer())  # that of who only was there when all others never came
    assert {**dict.fromkeys(lived, newcomer), **replayed_states(mode)} == lived
    assert list(invariants.violations(NOW)) == []
    ends = Match.objects.filter(mode=mode).order_by("event_id").values_list("ended_at", "late")
    assert [late for _, late in ends][:1] == [False]
