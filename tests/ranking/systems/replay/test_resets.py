"""The reset of a whole population gives what the reset of each player gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from ranking.systems.batch.states import states_of
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.replay.resets import reset_displays, reset_states
from tests.ranking.systems.test_resets import states
from tests.support.examples import examples
from tests.support.replay import alike

RULES = st.one_of(
    st.sampled_from([ResetRule(KEEP), ResetRule(HARD), ResetRule(SOFT, 0.0), ResetRule(SOFT, 0.5), ResetRule(SOFT)]),
    st.floats(0, 1).map(lambda factor: ResetRule(SOFT, factor)),
)


@pytest.mark.parametrize("key", SYSTEMS)
@examples(100)
@given(st.data(), RULES)
def test_all_at_once_is_one_by_one(key, data, rule):
    system, drawn = get_system(key), data.draw(st.lists(states(key), max_size=12))
    expected = [system.reset(state, rule) for state in drawn]
    columns = states_of(drawn)
    assert reset_displays(system, columns, rule).tolist() == [state.display_hundredths for state in expected]
    after = reset_states(system, columns, rule)
    assert alike([after[index] for index in range(len(drawn))], expected)
    assert all(after.known)
    assert [columns[index] for index in range(len(drawn))] == drawn


def test_a_display_at_a_rounding_boundary_is_rounded_as_ever():
    system = get_system("elo")
    drawn = [system.to_state(system.read_skill({"rating": 25 + hundredths / 100})) for hundredths in range(1, 400, 2)]
    expected = [system.reset(state, ResetRule(SOFT, 0.5)).display_hundredths for state in drawn]
    assert reset_displays(system, states_of(drawn), ResetRule(SOFT, 0.5)).tolist() == expected


def test_margin_shows_its_mean_and_doubt():
    system = get_system("margin")
    drawn = [system.to_state(system.newcomer()._replace(mu=mu, sigma=0.25, matches=7)) for mu in (-0.6, 0.1, 0.7)]
    expected = [system.reset(state, ResetRule(SOFT, 0.3)).display_hundredths for state in drawn]
    assert reset_displays(system, states_of(drawn), ResetRule(SOFT, 0.3)).tolist() == expected
