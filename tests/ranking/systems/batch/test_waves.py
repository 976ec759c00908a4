"""The order in which matches can be rated beside each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.batch.history import history_from
from ranking.systems.batch.waves import links_of, order_of, waves_of


def history_of_rosters(rosters):
    sizes = [len(roster) for roster in rosters]
    return history_from(
        match=np.repeat(np.arange(len(rosters)), sizes),
        team=np.concatenate([*map(np.arange, sizes), np.zeros(0, int)]),
        player=np.array([player for roster in rosters for player in roster], np.int32),
    )


def waves_by_definition(rosters):
    last, waves = {}, []
    for roster in rosters:
        waves.append(1 + max(last.get(player, -1) for player in roster))
        last.update(dict.fromkeys(roster, waves[-1]))
    return waves


@given(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=5, unique=True), max_size=30))
def test_a_match_is_a_wave_after_the_last_of_its_players(rosters):
    history = history_of_rosters(rosters)
    matches, wave = waves_of(history, links_of(history))
    assert dict(zip(matches.tolist(), wave.tolist(), strict=True)) == dict(enumerate(waves_by_definition(rosters)))
    assert wave.tolist() == sorted(wave.tolist())


def test_links():
    links = links_of(history_of_rosters([[7, 2], [2, 9], [7, 2]]))
    assert links.players.tolist() == [2, 7, 9]
    assert links.number.tolist() == [1, 0, 0, 2, 1, 0]
    assert links.previous.tolist() == [-1, -1, 1, -1, 0, 2]
    assert links.next_match.tolist() == [2, 1, 2, 3, 3, 3]


@pytest.mark.parametrize("most", [5, 70_000, 10_000_000, 2**40])
def test_order(most):
    numbers = np.random.default_rng(most).integers(0, most, 5_000)
    assert order_of(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()
