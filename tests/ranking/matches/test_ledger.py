"""Replaying the ledger gives what was lived, whatever was sent, however often and in whatever order."""

import datetime as dt
import random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ranking.matches import invariants
from ranking.matches.recording import record_results
from ranking.models import Match, Mode, Rating
from ranking.rules.report import PlayerReport
from ranking.standings.publishing import publish
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, make_report, make_source
from tests.support.replay import replayed_states

pytestmark = pytest.mark.django_db

moments = st.integers(-5000, 0).map(lambda minutes: NOW + dt.timedelta(minutes=minutes))


@st.composite
def results(draw, largest=3):
    """A result of two teams of one to three out of eight players, some leaving, of 600 seconds."""
    sizes = draw(st.tuples(st.integers(1, largest), st.integers(1, largest)))
    players = draw(st.permutations([f"p{number}" for number in range(8)]))[: sum(sizes)]
    said = [
        PlayerReport(id=player, seconds=draw(st.integers(0, 600)) * 1.0, left_early=draw(st.booleans()))
        if draw(st.integers(0, 4)) == 0
        else PlayerReport(id=player)
        for player in players
    ]
    places = draw(st.sampled_from([(1, 2), (2, 1), (1, 1)]))
    return make_report(
        said[: sizes[0]], said[sizes[0] :], places=places, duration=600.0, ended_at=draw(moments),
        id=f"m{draw(st.integers(0, 30))}",
    )  # fmt: skip


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
    assert replayed_states(mode) == lived
    assert list(invariants.findings(NOW)) == []
    ends = Match.objects.filter(mode=mode).order_by("event_id").values_list("ended_at", "late")
    assert [late for _, late in ends][:1] == [False]
