"""Learnt weights of statistics: known weights come back, noise is noise, separation doesn't blow up."""

from dataclasses import replace

import numpy as np
import pytest

from ranking.systems.base import Refused
from ranking.systems.registry import get_system
from ranking.trials.core.impact import choose_penalty, differences_of, impact_result, ratios, regress
from tests.support.fit_histories import columns_of, random_rosters

WEIGHTS = {"kills": 1.0, "assists": 0.7, "revives": 1.2, "deaths": -0.75, "plants": 0.0}
MEANS = {"kills": 9.0, "assists": 4.0, "revives": 2.0, "deaths": 9.0, "plants": 1.0}
ROUNDS = 10


def played_by_statistics(seed, matches=2_000, *, weights=WEIGHTS, scale=4.0, stats=None):
    """5v5 matches that the weighted difference of the teams' mean statistics per round decides, with logistic noise."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.poisson(MEANS[name], (matches, 2, 5)).astype(float) for name in weights}
    lead = sum(
        weight * (columns[name][:, 0] - columns[name][:, 1]).mean(axis=1) / ROUNDS for name, weight in weights.items()
    )
    won = (rng.random(matches) < 1 / (1 + np.exp(-scale * lead))).astype(float)
    columns |= {} if stats is None else stats(rng, columns, won)
    return columns_of(
        random_rosters(rng, matches, 60, 5),
        won,
        stats={name: column.reshape(-1) for name, column in columns.items()},
        has_stats=np.ones(matches * 10, bool),
        rounds=np.full(matches, ROUNDS),
    )


def learnt(history):
    result = impact_result(history, get_system("two-layer"))
    return result, {each["name"]: (each["learnt"], each["error"]) for each in result["weights"]}


def test_weights_are_ratios_to_kills_and_recommended_if_they_are_better():
    result, weights = learnt(played_by_statistics(1, weights={**WEIGHTS, "plants": -2.0}))
    assert (result["unit"], weights["kills"], result["matches"]) == ("kills", (1.0, None), 2_000)
    assert result["recommended"]
    assert result["log_loss"][1] < result["log_loss"][0]
    assert result["params"]["impact_weights"]["plants"] < 0


def test_todays_weights_are_kept_on_data_that_they_made():
    today = dict(get_system("two-layer").impact_weights)
    result, _ = learnt(played_by_statistics(2, weights={name: today[name] for name in ("kills", "assists", "deaths")}))
    assert not result["recommended"]


def test_without_kills_the_largest_weight_is_one():
    result, weights = learnt(played_by_statistics(3, weights={"assists": 0.7, "revives": 1.2, "deaths": -0.5}))
    assert (result["unit"], weights["revives"]) == ("revives", (1.0, None))


def test_matches_without_these_statistics_are_refused():
    played = played_by_statistics(4)
    with pytest.raises(Refused, match="need one of kills"):
        impact_result(replace(played, history=replace(played.history, stats={})), get_system("two-layer"))


def test_the_order_of_teams_changes_nothing():
    history = played_by_statistics(4)
    table = differences_of(history, tuple(WEIGHTS))
    one, other = (regress(sign * table.values, table.won == (sign > 0), 1.0) for sign in (1.0, -1.0))
    np.testing.assert_allclose(one.coefficients, other.coefficients, atol=1e-9)


def test_destroyed_gadgets_count_by_their_logarithm():
    def gadgets(rng, columns, won):
        return {"gadget_destroys": rng.poisson(3.0, (600, 2, 5)).astype(float)}

    history = played_by_statistics(5, matches=600, stats=gadgets)
    table = differences_of(history, ("gadget_destroys",))
    stat = np.log1p(history.history.stats["gadget_destroys"].reshape(600, 2, 5)) / ROUNDS
    np.testing.assert_allclose(table.values[:, 0], stat[:, 0].mean(axis=1) - stat[:, 1].mean(axis=1), atol=1e-12)


def test_a_statistic_that_separates_is_named_and_stays_finite():
    def separating(rng, columns, won):
        return {"defuses": np.stack([won, 1 - won], axis=1)[:, :, None] * np.ones(5)}

    result, weights = learnt(played_by_statistics(6, stats=separating))
    assert result["separating"] == ["defuses"]
    assert all(np.isfinite(value) for value, _ in weights.values())


def test_matches_that_somebody_left_or_without_statistics_are_left_out():
    history = played_by_statistics(7, matches=600)
    left, has_stats = np.zeros(6_000, bool), np.ones(6_000, bool)
    left[5], has_stats[17] = True, False
    changed = replace(history, history=replace(history.history, left_early=left, has_stats=has_stats))
    assert differences_of(changed, tuple(WEIGHTS)).match[:2].tolist() == [2, 3]


def test_too_few_matches_are_refused():
    with pytest.raises(Refused, match=r"need 500 matches .* there are 499\."):
        impact_result(played_by_statistics(8, matches=499), get_system("two-layer"))


@pytest.mark.long
def test_each_known_weight_comes_back_within_two_errors_in_88_of_100_seeds():
    within = dict.fromkeys(WEIGHTS, 0)
    for seed in range(100):
        table = differences_of(played_by_statistics(seed), tuple(WEIGHTS))
        regression = regress(table.values, table.won, choose_penalty(table.values, table.won))
        _, weights, errors = ratios(table.names, regression)
        for name, value, error in zip(table.names, weights, errors, strict=True):
            within[name] += abs(value - WEIGHTS[name]) <= 2 * error + 1e-12
    assert min(within.values()) >= 88, within
