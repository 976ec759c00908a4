"""What the end of a season makes of a rating, in every system."""

from dataclasses import astuple
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import HARD, KEEP, SOFT, Refused, ResetRule, State
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.examples import examples

EVERY = pytest.mark.parametrize("key", SYSTEMS)
FACTORS = st.floats(0, 1)
HALF = ResetRule(SOFT, 0.5)


def states(key):
    """States that players of a system may have, far from a newcomer's, too."""
    return {
        "team-ratio": st.builds(State, st.integers(100, 2**60)),
        "elo": st.floats(-2_000, 2_000).map(lambda rating: get_system("elo").read_skill({"rating": rating})),
        "battle-points": st.integers(0, 5_000).map(lambda rating: State(100 * rating)),
        "two-layer": st.builds(
            lambda mu, sigma, mmr: State(100 * mmr, mu, sigma),
            st.floats(-50, 100), st.floats(2.0, 25 / 3), st.integers(0, 10_000),
        ),
        "glicko-2": st.builds(
            lambda rating, deviation, volatility: get_system("glicko-2").newcomer()._replace(
                rating=rating, deviation=deviation, volatility=volatility
            ),
            st.floats(0, 4_000), st.floats(10, 350), st.floats(0.01, 0.2),
        ),
        "trueskill": st.builds(
            lambda mu, sigma: get_system("trueskill").newcomer()._replace(mu=mu, sigma=sigma),
            st.floats(-50, 100), st.floats(0.1, 25 / 3),
        ),
        "weng-lin": st.builds(
            lambda mu, sigma: get_system("weng-lin").newcomer()._replace(mu=mu, sigma=sigma),
            st.floats(-50, 100), st.floats(0.1, 25 / 3),
        ),
        "margin": st.builds(
            lambda mu, sigma, matches: get_system("margin").newcomer()._replace(mu=mu, sigma=sigma, matches=matches),
            st.floats(-5, 5), st.floats(0.01, 0.5), st.integers(0, 1_000),
        ),
    }[key].map(lambda drawn: drawn if isinstance(drawn, State) else get_system(key).to_state(drawn))  # fmt: skip


def newcomer(key):
    system = get_system(key)
    return system.to_state(system.newcomer())


def test_every_system_has_states_to_try():
    for key in SYSTEMS:
        states(key)


@EVERY
@examples(40)
@given(st.data())
def test_keeping_and_the_factor_1_change_nothing(key, data):
    state = data.draw(states(key))
    system = get_system(key)
    assert [system.reset(state, rule) for rule in (ResetRule(KEEP), ResetRule(SOFT, 1.0))] == [state, state]


@EVERY
@examples(40)
@given(st.data())
def test_a_hard_reset_and_the_factor_0_make_a_newcomer(key, data):
    state = data.draw(states(key))
    system = get_system(key)
    assert [system.reset(state, rule) for rule in (ResetRule(HARD), ResetRule(SOFT, 0.0))] == [newcomer(key)] * 2


@EVERY
@examples(60)
@given(st.data(), FACTORS)
def test_the_order_of_displays_at_equal_deviations_is_kept(key, data, factor):
    system = get_system(key)
    one, other = data.draw(states(key)), data.draw(states(key))
    if one.sigma is not None:
        skill = system.from_state(other)
        other = system.to_state(skill._replace(**{"deviation" if key == "glicko-2" else "sigma": one.sigma}))
    lower, higher = sorted((one, other), key=lambda state: (state.display_hundredths, state.mu or 0.0))
    after = [system.reset(state, ResetRule(SOFT, factor)).display_hundredths for state in (lower, higher)]
    assert after[0] <= after[1]


@EVERY
@examples(60)
@given(st.data(), FACTORS)
def test_numbers_move_toward_a_newcomers_and_never_past(key, data, factor):
    state, start = data.draw(states(key)), newcomer(key)
    after = get_system(key).reset(state, ResetRule(SOFT, factor))
    slack = 1e-9 * max(1.0, *(abs(value) for value in (state.mu or 0.0, start.mu or 0.0)))
    for name in ("mu", "volatility"):
        before, new, target = (getattr(each, name) for each in (state, after, start))
        if before is not None:
            assert min(before, target) - slack <= new <= max(before, target) + slack
    if state.sigma is not None:
        assert start.sigma >= after.sigma >= state.sigma - slack
    else:
        low, high = sorted((state.display_hundredths, start.display_hundredths))
        assert low <= after.display_hundredths <= high


@pytest.mark.parametrize(
    ("key", "state", "after"),
    [
        ("team-ratio", State(251), State(176)),  # 100 + 75.5, half up
        ("team-ratio", State(9_999_999_999_99), State(5_000_000_000_50)),
        ("battle-points", State(1_201_00), State(1_101_00)),  # 1000 + 100.5, half up
        ("battle-points", State(799_00), State(900_00)),  # 1000 − 100.5 = 899.5, half up
        ("elo", State(30_00, 30.0), State(27_50, 27.5)),
        ("two-layer", State(3_001_00, 31.0, 2.0), State(2_751_00, 28.0, sqrt(4 + (25 / 6) ** 2))),
        ("trueskill", State(24_00, 30.0, 2.0), State(1363, 27.5, sqrt(4 + (25 / 6) ** 2))),
        ("weng-lin", State(24_00, 30.0, 2.0), State(1363, 27.5, sqrt(4 + (25 / 6) ** 2))),
        ("glicko-2", State(1_800_00, 1800.0, 50.0, 0.0150), State(1_650_00, 1650.0, sqrt(2500 + 175**2), 0.03)),
        ("glicko-2", State(1_800_00, 1800.0, 340.0, 0.06), State(1_650_00, 1650.0, 350.0, 0.06)),  # the widest
    ],
)
def test_a_soft_reset_by_half(key, state, after):
    moved = get_system(key).reset(state, HALF)
    assert moved.display_hundredths == after.display_hundredths
    assert astuple(moved)[1:] == pytest.approx(astuple(after)[1:], abs=1e-12)


def test_the_factor_of_whole_numbers_is_the_decimal_that_was_entered():
    # 0.1 as a float is a little more than a tenth; 100 + 5/10 is rounded half up all the same, and 100 + 4/10 down.
    system = get_system("team-ratio")
    after = [
        system.reset(State(100 + points), ResetRule(SOFT, factor)).display_hundredths
        for points, factor in ((5, 0.1), (4, 0.1), (15, 0.3))
    ]
    assert after == [101, 100, 105]


def test_a_soft_reset_of_margin_scales_the_matches_that_a_skill_rests_on():
    system = get_system("margin")
    skill = system.from_state(system.reset(State(1500_00, 0.4, 0.2, skill_matches=41), HALF))
    assert skill == (0.2, pytest.approx(sqrt(0.04 + 0.0625)), 21)
    assert (
        system.from_state(system.reset(State(1500_00, 0.4, 0.2, skill_matches=41), ResetRule(HARD)))
        == system.newcomer()
    )


def test_parameters_of_the_mode_say_what_a_newcomer_is():
    assert get_system("elo", {"start": 0}).reset(State(30_00, 30.0), HALF) == State(15_00, 15.0)
    assert get_system("battle-points", {"start": 0, "floor": 0}).reset(State(30_00), HALF) == State(15_00)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"kind": "harder"}, "There is no reset 'harder'; choose one of soft, keep, hard."),
        ({"factor": -0.1}, "The factor of a reset is between 0 and 1, not -0.1."),
        ({"factor": 1.1}, "The factor of a reset is between 0 and 1, not 1.1."),
        ({"factor": float("nan")}, "The factor of a reset is between 0 and 1, not nan."),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(rule, sentence):
    with pytest.raises(Refused, match=sentence):
        ResetRule(**rule)
