"""Ratings that players bring along: every system shows the one that was asked for."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Refused
from ranking.systems.conversion import convert_skill
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.two_layer.hidden import TwoLayerSkill
from tests.support.examples import examples

EVERY = pytest.mark.parametrize("key", SYSTEMS)
NO_DEVIATION = {"team-ratio", "elo", "battle-points"}
OTHER_PARAMS = {
    "elo": {"start": 1500.0, "beta": 200.0},
    "trueskill": {"mu": 1000.0, "sigma": 321.7, "beta": 150.0},
    "battle-points": {"start": 0, "floor": 0},
    "two-layer": {"mu": 0.0, "sigma": 10.1, "sigma_min": 1.3, "mmr": 1000},
    "margin": {"points": 173.7, "caution": 3.1, "sigma": 1.7},
}


def system_of(key, other=False):
    return get_system(key, OTHER_PARAMS.get(key, {}) if other else {})


def seeded(system, *asked):
    """The skill, and the refusal if there is none."""
    try:
        return system.seed(*asked), None
    except Refused as refused:
        return None, refused


@EVERY
@examples(150)
@given(st.data(), st.booleans(), st.integers(0, 10**6))
def test_the_rating_asked_for_is_shown_or_a_bound_is_named(key, data, other, matches):
    system = system_of(key, other)
    step = 10 ** (2 - system.decimals)
    hundredths = st.integers(-(10**14), 10**14) | st.integers(0, 5_000_00 // step).map(lambda number: number * step)
    asked = Decimal(data.draw(hundredths)).scaleb(-2)
    newcomers = system.to_state(system.newcomer()).sigma
    shares = st.none() if key in NO_DEVIATION else st.none() | st.floats(1e-6, 1.0)
    share = data.draw(shares)
    deviation = None if share is None else share * newcomers
    skill, refused = seeded(system, asked, deviation, matches)
    if refused is not None:
        assert (refused.path in ("rating", "deviation"), str(refused).startswith(f"{key} ")) == (True, True)
        return
    assert system.display(skill) == asked
    state = system.to_state(skill)
    assert (state.display_hundredths, system.from_state(state)) == (100 * asked, skill)
    if deviation is not None:
        assert state.sigma == deviation


@pytest.mark.parametrize("key", sorted({*SYSTEMS} - NO_DEVIATION))
def test_a_deviation_above_a_newcomers_is_a_newcomers(key):
    system = system_of(key)
    rating, newcomers = system.display(system.newcomer()), system.to_state(system.newcomer()).sigma
    for above in (1.0000001, 1.0005, 40.0):
        assert system.to_state(system.seed(rating, above * newcomers)).sigma == newcomers


@EVERY
def test_half_a_newcomers_deviation_is_the_default(key):
    system = system_of(key)
    rating = round(system.display(system.newcomer()) + 7, system.decimals)
    state, newcomer = system.to_state(system.seed(rating)), system.to_state(system.newcomer())
    assert state.display_hundredths == newcomer.display_hundredths + 700
    assert state.sigma == (None if key in NO_DEVIATION else pytest.approx(newcomer.sigma / 2))
    assert state.volatility == newcomer.volatility


def test_the_hidden_mean_of_two_layer_is_as_strong_as_the_mmr():
    # 400 points make the odds ten times as high; 1.702 standard deviations of a normal curve are one logistic one.
    level = 400 / (400 / 2.302585092994046)
    mu = 25 + level * (25 / 6) / (1.702 / 2**0.5)
    assert system_of("two-layer").seed(Decimal(2900)) == TwoLayerSkill(pytest.approx(mu), pytest.approx(25 / 6), 2900)
    assert system_of("two-layer").seed(Decimal(2500), 2.0) == TwoLayerSkill(25.0, 2.0, 2500)


def test_margin_rests_on_the_matches():
    assert system_of("margin").seed(Decimal(1500), 0.25, 40) == (0.5, 0.25, 40)


@pytest.mark.parametrize(
    ("key", "rating", "more", "sentence"),
    [
        ("team-ratio", "0.99", {}, "team-ratio takes ratings from 1.00 to 92,233,720,368,547,758.07, not 0.99."),
        ("team-ratio", "1.001", {}, "team-ratio shows ratings as 2 decimals at most, not 1.001."),
        ("elo", "1000000000000.01", {}, "elo takes ratings from -1,000,000,000,000 to 1,000,000,000,000, not"),
        ("elo", "25", {"deviation": 3.0}, "elo keeps no deviation: leave it out."),
        ("elo", "25", {"matches": -1}, "elo takes 0 to 1,000,000,000 matches, not -1."),
        ("battle-points", "699", {}, "battle-points takes ratings from 700 to 1,000,000,000,000, not 699."),
        ("battle-points", "1500.5", {}, "battle-points shows ratings as whole numbers, not 1,500.5."),
        ("two-layer", "-1", {}, "two-layer takes ratings from 0 to 1,000,000,000,000, not -1."),
        ("two-layer", "1", {"deviation": 1.9}, "two-layer takes deviations of at least 2, not 1.9."),
        ("glicko-2", "1500", {"deviation": 1e-10}, "glicko-2 takes deviations of at least 1e-09, not 1e-10."),
        ("trueskill", "25", {"deviation": 0.0}, "trueskill takes deviations above 0, not 0."),
        ("weng-lin", "25", {"deviation": float("inf")}, "weng-lin takes deviations above 0, not inf."),
        ("margin", "1500.25", {}, "margin shows ratings as whole numbers, not 1,500.25."),
    ],
)  # fmt: skip
def test_what_a_system_cannot_show_is_refused_with_the_bound(key, rating, more, sentence):
    with pytest.raises(Refused) as refused:
        system_of(key).seed(Decimal(rating), **more)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("key", SYSTEMS)
def test_carrying_a_seed_over_to_the_same_system_changes_nothing(key):
    one = system_of(key)
    other = get_system(key, {"staying_is_better": False})
    for points in (-4, 1, 3, 50):
        rating = round(one.display(one.newcomer()) + points, one.decimals)
        skill, _ = seeded(one, rating)
        assert skill is None or other.display(convert_skill(skill, one, other)) == rating
