"""A fit's candidate becomes the mode's parameters: from now on, or for the whole history; never by itself."""

import pytest

from ranking.models import AuditEntry, FitRun, Rerating, Season, Snapshot
from ranking.modes.parameters import changed_params, current_parameters
from ranking.rerating.reratings import rerate
from ranking.rules.rank_table import RankTable
from ranking.systems.base import Refused
from ranking.trials.proposals import propose_elite_band, use_candidate
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
HOW = {"by": None, "reason": "it predicts better", "now": NOW}


def stored(mode, system="elo", *, recommended=True, summary=None, **params):
    result = {"system": system, "params": params, "recommended": recommended}
    return FitRun.objects.create(
        mode=mode, number=1, candidates=[{"system": system, "params": {}}], until=1, matches=1, asked_at=NOW,
        state="done", finished_at=NOW, results=[result], summary=summary or {},
    )  # fmt: skip


def in_force(mode):
    version = current_parameters(mode)
    return version.system, changed_params(version)


def test_from_now_on():
    mode = make_mode()
    run = stored(mode, alpha=0.3)
    use_candidate(run, "0", rerate=False, **HOW)
    assert in_force(mode) == ("elo", {"alpha": 0.3})
    run.refresh_from_db()
    assert (run.used, Rerating.objects.count()) == (["0"], 0)
    assert AuditEntry.objects.get(act="change parameters").reason == HOW["reason"]


def test_with_the_whole_history():
    mode = make_mode(team_size_max=1)
    for winner, loser in ("ab", "bc", "ca"):
        record([winner], [loser])
    use_candidate(stored(mode, alpha=0.3), "0", rerate=True, **HOW)
    assert in_force(mode) == ("elo", {})
    assert not rerate(mode).error
    assert in_force(mode) == ("elo", {"alpha": 0.3})


def test_another_system_needs_the_history_to_be_rated_anew():
    mode = make_mode(team_size_max=1)
    for winner, loser in ("ab", "bc", "ca"):
        record([winner], [loser])
    run = stored(mode, "trueskill", beta=5.0)
    with pytest.raises(Refused, match="another system"):
        use_candidate(run, "0", rerate=False, **HOW)
    run.refresh_from_db()
    assert (run.used, in_force(mode)) == ([], ("elo", {}))
    use_candidate(run, "0", rerate=True, **HOW)
    assert not rerate(mode).error
    assert in_force(mode) == ("trueskill", {"beta": 5.0})


def test_what_is_not_recommended_is_used_only_if_it_is_wanted_anyway():
    mode = make_mode()
    run = stored(mode, recommended=False, alpha=0.3)
    with pytest.raises(Refused, match="keep the defaults"):
        use_candidate(run, "0", rerate=False, **HOW)
    use_candidate(run, "0", rerate=False, anyway=True, **HOW)
    assert in_force(mode) == ("elo", {"alpha": 0.3})


@pytest.mark.parametrize("name", ["1", "impact", "ranking", "-1", "²", "x"])
def test_there_is_no_such_candidate(name):
    run = stored(make_mode(), alpha=0.3, summary={"ranking": []})
    with pytest.raises(Refused, match="no such candidate"):
        use_candidate(run, name, rerate=False, **HOW)


def test_weights_and_the_elite_band_keep_the_other_parameters():
    mode = make_mode(system="two-layer", params={"k_min": 40.0})
    summary = {
        "impact": {"params": {"impact_weights": {"kills": 1.0, "assists": 0.5}}, "recommended": True},
        "elite": {"params": {"elite_from": 3_000.0, "elite_to": 3_500.0}},
    }
    run = stored(mode, "two-layer", summary=summary)
    use_candidate(run, "impact", rerate=False, **HOW)
    use_candidate(run, "elite", rerate=False, **HOW)
    assert in_force(mode) == (
        "two-layer",
        {
            "k_min": 40.0, "elite_from": 3_000.0, "elite_to": 3_500.0,
            "impact_weights": {"kills": 1.0, "assists": 0.5},
        },
    )  # fmt: skip


def publish_ratings(mode, ratings):
    table = RankTable((100 * rating, 1) for rating in ratings)
    Snapshot.objects.create(
        mode=mode, season=Season.objects.get(mode=mode), taken_at=NOW, listed=len(table), table=table.to_bytes()
    )


def test_an_elite_band_is_proposed_from_500_listed_players_on():
    mode = make_mode(system="two-layer")
    assert propose_elite_band(mode) is None
    publish_ratings(mode, range(2_000, 2_499))
    assert propose_elite_band(mode) is None
    publish_ratings(mode, range(2_000, 2_600))
    assert propose_elite_band(mode) == {
        "listed": 600,
        "today": {"elite_from": 4_200.0, "elite_to": 5_000.0},
        "params": {"elite_from": 2_580.0, "elite_to": 2_600.0},
    }
    elo = make_mode("elo")
    publish_ratings(elo, range(2_000, 2_600))
    assert propose_elite_band(elo) is None
