import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.battle_points._brackets import BRACKETS
from ranking.systems.battle_points.system import BattlePointsSkill
from ranking.systems.registry import get_system
from tests.support.strategies import matches_of

SYSTEM = get_system("battle-points")


def match(first, second, scores=(None, None), places=(None, None), left=""):
    teams = zip("ab", (first, second), places, scores, strict=True)
    return Result(
        tuple(
            Team((Entrant(name, BattlePointsSkill(rating), left_early=name in left),), place, score)
            for name, rating, place, score in teams
        )
    )


@pytest.mark.parametrize(
    ("first", "second", "options", "after"),
    [
        (1000, 1000, {"scores": (3, 2)}, (1016, 984)),
        (1000, 1000, {"scores": (3, 3)}, (1000, 1000)),
        (1000, 1400, {"scores": (3, 3)}, (1013, 1389)),  # K of one's own bracket
        (1000, 1000, {"scores": (3, 0)}, (1019, 981)),  # shutout: 16·1.2 = 19.2
        (1000, 1000, {"scores": (3, -1)}, (1019, 981)),
        (1000, 1000, {"scores": (0, -1)}, (1016, 984)),  # the winner must have scored
        (1000, 1000, {"places": (1, 2)}, (1016, 984)),  # no scores
        (1000, 1000, {"places": (2, 1), "scores": (5, 0)}, (984, 1016)),  # by place b won, and a scored
        (1000, 1000, {"places": (2, 1), "scores": (0, 5)}, (981, 1019)),
        (700, 700, {"scores": (3, 0)}, (719, 700)),  # floor
        (1000, 1000, {"scores": (3, 2), "left": "a"}, (981, 1019)),  # as a shutout
        (1000, 1000, {"scores": (3, 2), "left": "ab"}, (981, 981)),
        (1200, 1200, {"scores": (1, 0)}, (1219, 1181)),
        (1201, 1201, {"scores": (1, 0)}, (1222, 1180)),  # 14·1.5
        (2001, 2001, {"scores": (1, 0)}, (2018, 1984)),  # 8·2.1 = 16.8
        (10**9, 0, {"scores": (0, 1)}, (10**9 - 34, 700)),  # absurd: no overflow
        (650, 10**6, {"scores": (0, 1)}, (700, 10**6)),  # a rating from below comes up to the floor
        (650, 1000, {"scores": (0, 1), "left": "a"}, (650, 1005)),  # but nobody by leaving
    ],
)
def test_cases(first, second, options, after):
    rated = SYSTEM.rate(match(first, second, **options))
    assert (rated[0][0].rating, rated[1][0].rating) == after


def test_halves_are_rounded_up():
    odd = get_system("battle-points", {"brackets": [[None, 31, 1.0]]})
    assert [skills[0].rating for skills in odd.rate(match(1000, 1000, (1, 0)))] == [1016, 985]


def test_win_probability():
    (a,), (b,) = (team.players for team in match(1400, 1000).teams)
    assert SYSTEM.win_probability([[a], [b]]) == pytest.approx((10 / 11, 1 / 11), abs=1e-15)
    assert SYSTEM.win_probability([[a], [b], [a]]) == (None, None, None)


@given(matches_of("battle-points"))
def test_the_factors_give_the_change(result):
    for team, (after,), (factors,) in zip(result.teams, SYSTEM.rate(result), SYSTEM.explain(result), strict=True):
        stake, score, chance, *rest = factors
        change = stake.value * (score.value - chance.value) * math.prod(f.value for f in rest if f.kind == "times")
        before = team.players[0].skill.rating
        if before >= 700:
            assert after.rating == max(700, math.floor(before + change + 0.5))


@pytest.mark.parametrize(
    ("left", "names", "note"),
    [
        ("", ["Stake (K)", "Result", "Win expectation"], "The match was won."),
        (
            "a",
            ["Stake (K)", "Result", "Win expectation", "Shutout"],
            "Leaving early counts as a loss, whatever the result.",
        ),
        ("b", ["Stake (K)", "Result", "Win expectation", "Shutout"], "The opponent left early, which counts as a win."),
    ],
)
def test_why_in_words(left, names, note):
    (factors,) = SYSTEM.explain(match(1000, 1000, (3, 2), left=left))[0]
    assert ([f.name for f in factors], factors[1].note) == (names, note)


def test_why_names_the_floor():
    assert [f.name for f in SYSTEM.explain(match(1000, 760, (3, 2)))[1][0]][-1] == "Win expectation"
    assert last_of(705, 705) == ("Floor", 700, "floor", "No rating falls below 700.")
    assert last_of(716, 716)[0] == "Win expectation"  # the formula itself leads to 700


def test_why_a_rating_below_the_floor_is_lifted_unless_its_player_left():
    assert last_of(500, 500) == ("Floor", 216, "amount", "A rating below 700 is lifted to it.")
    below = "A rating below the floor of 700 falls no further."
    assert last_of(500, 500, left="b") == ("Floor", 500, "floor", below)


def last_of(winner: int, loser: int, **more):
    """The last factor of the loser."""
    factor = SYSTEM.explain(match(winner, loser, (3, 2), **more))[1][0][-1]
    return factor.name, factor.value, factor.kind, factor.note


@given(st.integers(0, 10**12))
def test_states_are_whole(rating):
    skill = BattlePointsSkill(rating)
    assert SYSTEM.to_state(skill) == State(100 * rating)
    assert str(SYSTEM.display(skill)) == str(rating)


@pytest.mark.parametrize("rating", [-1, 1000.0, 1000.5, "1000", None, True, math.nan, 10**13])
def test_bad_skills_are_refused(rating):
    with pytest.raises(Refused, match=r"^battle-points skill: rating must be"):
        SYSTEM.read_skill({"rating": rating})


@pytest.mark.parametrize(
    ("brackets", "sentence"),
    [
        ([], "must have at least one row."),
        ({}, "must be an array, not {}."),
        ([[1200, 32, 1.2]], "must go upwards, and only the last row must be up to null."),
        ([[1500, 32, 1], [1200, 28, 1], [None, 16, 1]], "must go upwards, and only the last row must be up to null."),
        ([[None, 32, 1], [None, 16, 1]], "must go upwards, and only the last row must be up to null."),
    ],
)
def test_senseless_brackets_are_refused(brackets, sentence):
    with pytest.raises(Refused) as refused:
        get_system("battle-points", {"brackets": brackets})
    assert str(refused.value) == f"battle-points: parameter brackets {sentence}"


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (["1200", 32, 1], "[0][0] must be a whole number, not '1200'."),
        ([1200, -32, 1], "[0][1] must be at least 0, not -32."),
        ([1200, 32, None], "[0][2] must be a number, not None."),
        ([1200, 32], "[0] must be [up to, K, modifier], not [1200, 32]."),
        (7, "[0] must be an array, not 7."),
    ],
)
def test_senseless_rows_are_refused(row, sentence):
    with pytest.raises(Refused) as refused:
        get_system("battle-points", {"brackets": [row, [None, 16, 1]]})
    assert str(refused.value) == f"battle-points: parameter brackets{sentence}"


def test_brackets_are_read_as_they_are_written():
    written = [[1200, 32, 1.2], [1500, 28, 1.5], [2000, 24, 1.8], [None, 16, 2.1]]
    assert get_system("battle-points", {"brackets": written}).brackets == BRACKETS
    assert json.loads(str(BRACKETS)) == written


def test_the_stake_of_the_first_matches():
    system = get_system("battle-points", {"provisional_matches": 4})
    players = [Entrant(name, BattlePointsSkill(1000), matches=number) for name, number in (("a", 3), ("b", 4))]
    result = Result(tuple(Team((player,), place) for place, player in enumerate(players, 1)))
    assert [skills[0].rating for skills in system.rate(result)] == [1032, 984]
    assert [team[0][0].value for team in system.explain(result)] == [64, 32]
