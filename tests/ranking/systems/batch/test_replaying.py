"""Replay at once = history lived match by match, for every system."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.systems import SYSTEMS, get_system
from tests.ranking.systems.batch.histories import check_replay, histories, history
from tests.ranking.systems.strategies import MATCHES_OF

EVERY = pytest.mark.parametrize("key", SYSTEMS)


def shapes_of(key):
    _, most_teams, (_, most_players) = MATCHES_OF[key]
    return most_teams, min(4, most_players)


@EVERY
@settings(max_examples=40)
@given(st.data())
def test_random_histories(key, data):
    most_teams, most_players = shapes_of(key)
    results = data.draw(histories(teams=(2, most_teams), sizes=(1, most_players)))
    check_replay([(0, get_system(key))], results)


@EVERY
@settings(max_examples=25)
@given(st.data())
def test_extreme_skills_at_the_start(key, data):
    system, (skills, most_teams, _) = get_system(key), MATCHES_OF[key]
    results = data.draw(histories(teams=(2, most_teams), sizes=(1, shapes_of(key)[1]), matches=4))
    ids = {player.id for result in results for team in result.teams for player in team.players}
    check_replay([(0, system)], results, {name: system.to_state(data.draw(skills)) for name in sorted(ids)})


@EVERY
def test_a_long_history(key):
    most_teams, most_players = shapes_of(key)
    results = history(key, matches=300, players=60, teams=(2, most_teams), sizes=(1, most_players))
    check_replay([(0, get_system(key))], results)
    check_replay([(0, get_system(key))], results, by_hand_below=None)
