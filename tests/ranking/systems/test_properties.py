"""What every system owes to players, on random matches by Hypothesis; longer runs are in test_long_runs.py."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.examples import examples
from tests.support.promises import check, numbers, pairs
from tests.support.strategies import MATCHES_OF, matches_of

EVERY = pytest.mark.parametrize("key", SYSTEMS)
FEWER = examples(30)  # for each of the systems


def test_every_system_is_tried():
    assert MATCHES_OF.keys() == SYSTEMS.keys()


@EVERY
@FEWER
@given(st.data())
def test_a_leavers_display_rating_never_rises(key, data):
    check(get_system(key), data.draw(matches_of(key)))


@EVERY
@FEWER
@given(st.data())
def test_the_order_of_teams_and_players_does_not_matter(key, data):
    system, result = get_system(key), data.draw(matches_of(key, most_teams=2))
    backwards = Result(tuple(Team(t.players[::-1], t.place) for t in result.teams[::-1]), result.duration)
    after = {player.id: numbers(system, skill) for player, skill in pairs(backwards, system.rate(backwards))}
    for player, skill in pairs(result, system.rate(result)):
        got = numbers(system, skill)
        # Whole points that tie are handed out in roster order; the package sums in the order given.
        assert after[player.id] == pytest.approx(got, rel=1e-9, abs=1 if key == "two-layer" else 1e-9)


@EVERY
@FEWER
@given(st.data())
def test_swapping_the_teams_swaps_the_win_probability(key, data):
    system, result = get_system(key), data.draw(matches_of(key, most_teams=2))
    teams = [team.players for team in result.teams]
    p, q = system.win_probability(teams)
    assert 0 <= p <= 1
    assert p + q == pytest.approx(1, abs=1e-12)
    assert system.win_probability(teams[::-1]) == pytest.approx((q, p), abs=1e-12)


@EVERY
@FEWER
@given(st.data())
def test_the_win_probability_knows_nothing_of_the_match(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    before = [
        [Entrant(p.id, p.skill, party=p.party, idle_days=p.idle_days) for p in team.players] for team in result.teams
    ]
    assert system.win_probability([team.players for team in result.teams]) == system.win_probability(before)


@EVERY
@FEWER
@given(st.data())
def test_state_and_json_keep_every_skill_exactly(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    for _, skill in pairs(result, system.rate(result)):
        state = system.to_state(skill)
        assert system.from_state(state) == skill
        assert state.display_hundredths == system.display(skill) * 100
        assert system.read_skill(system.write_skill(skill)) == skill


@EVERY
@FEWER
@given(st.data())
def test_every_player_is_told_why(key, data):
    system, result = get_system(key), data.draw(matches_of(key))
    for _, factors in pairs(result, system.explain(result)):
        assert factors
        assert all(math.isfinite(f.value) and f.name and f.note.endswith(".") for f in factors)
        assert {f.kind for f in factors} <= {"stake", "share", "times", "amount", "floor", "number"}
        assert all(f.value != 1 for f in factors if f.kind == "times")
