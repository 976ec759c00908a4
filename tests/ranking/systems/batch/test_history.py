"""Histories from results and from a database's columns."""

import numpy as np
import pytest

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.batch.history import history_from, history_of
from tests.support.batch_histories import history


def team(*names, **fields):
    return Team(tuple(Entrant(name, None) for name in names), **fields)


PLAYERS = {"a": 0, "b": 1, "c": 2, "d": 3}
RESULTS = [
    Result((team("a", "b", place=1), team("c", place=2))),
    Result((team("d", score=3), team("a", score=1), team("b", score=2)), duration=60, rounds=5),
]


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in one.__slots__
        if name not in ("stats", "variants", "mode_states")
    )


def test_columns_of_a_database_and_results_are_the_same_history():
    columns = history_from(
        match=np.array([0, 0, 0, 1, 1, 1]),
        team=np.array([0, 0, 1, 0, 1, 2]),
        player=np.array([0, 1, 2, 3, 0, 1]),
        place=[1, 2, 0, 0, 0],
        score=[np.nan, np.nan, 3, 1, 2],
        duration=[np.nan, 60],
        rounds=[-1, 5],
        seconds=None,
    )
    assert same(columns, history_of(RESULTS, PLAYERS))


def test_a_part_is_the_history_of_its_matches():
    results = history("parts", teams=(2, 4))
    ids = {f"{number:05}": number for number in range(14)}
    whole = history_of(results, ids)
    for first, last in [(0, 20), (0, 5), (5, 6), (6, 20), (20, 20)]:
        part, alone = whole.part(first, last), history_of(results[first:last], ids)
        # Parties are numbered as they appear.
        assert all(
            same_part
            for name in ("seconds", "place", "starts", "team_starts", "player", "left_early")
            for same_part in [np.array_equal(getattr(part, name), getattr(alone, name), equal_nan=True)]
        )
        assert all(np.array_equal(part.stats[name], column, equal_nan=True) for name, column in alone.stats.items())


def test_columns_that_nobody_gave_take_no_memory():
    columns = history_from(match=np.arange(1000), team=np.zeros(1000, int), player=np.arange(1000))
    assert columns.seconds.strides == columns.left_early.strides == columns.score.strides == (0,)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"secs": [1]}, "A history has no column secs."),
        ({"seconds": [1.0]}, "The column seconds has 1 entries, not 2."),
    ],
)
def test_columns_that_do_not_fit(columns, message):
    with pytest.raises((TypeError, ValueError), match=message):
        history_from(match=np.zeros(2, int), team=np.arange(2), player=np.arange(2), **columns)


@pytest.mark.parametrize("teams", [(team("a"), team("b", "a")), (team("a"), team())])
def test_no_player_twice_and_no_team_without_players(teams):
    with pytest.raises(Refused, match="can't hold match 1"):
        history_of([RESULTS[0], Result(teams)], PLAYERS)
