import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.glicko2._volatility import new_volatility
from ranking.systems.glicko2.formulas import g, logistic
from ranking.systems.glicko2.system import Glicko2Skill
from ranking.systems.registry import get_system
from ranking.systems.shared.maths import FLOATS
from tests.support.strategies import matches_of

SYSTEM = get_system("glicko-2")
NEW = Glicko2Skill(1500.0, 350.0, 0.06)


def match(first=NEW, second=NEW, places=(1, 2), left="", idle=(0.0, 0.0)):
    players = [
        Entrant(name, skill, left_early=name in left, idle_days=days)
        for name, skill, days in zip("ab", (first, second), idle, strict=True)
    ]
    return Result(tuple(Team((player,), place) for player, place in zip(players, places, strict=True)))


def test_the_volatility_of_the_sources_example():
    """Glickman's player of 1500, 200, 0.06: v 1.7785, delta −0.4834, and σ' printed as 0.05999."""
    assert new_volatility(0.06, 200 / 173.7178, 1.7785, -0.4834, 0.5) == pytest.approx(0.05999, abs=1e-5)


@pytest.mark.parametrize(
    ("deviation", "gap", "g_expected", "e_expected"),
    [(30, 100, 0.9955, 0.639), (100, -50, 0.9531, 0.432), (300, -200, 0.7242, 0.303)],
)
def test_the_opponents_of_the_sources_example(deviation, gap, g_expected, e_expected):
    weight = g(deviation / 173.7178, FLOATS)
    assert weight == pytest.approx(g_expected, abs=5e-5)
    assert logistic(weight * gap / 173.7178, FLOATS)[0] == pytest.approx(e_expected, abs=6e-4)


def test_newcomers():
    (winner,), (loser,) = SYSTEM.rate(match())
    assert winner == pytest.approx((1662.310893906, 290.318963718, 0.0599996754), rel=1e-8)
    assert loser == pytest.approx((3000 - winner.rating, winner.deviation, winner.volatility), rel=1e-12)


@pytest.mark.parametrize(
    ("idle_days", "period_days", "periods"),
    [(0, 1, 0), (1, 1, 0), (1.99, 1, 0), (2, 1, 1), (30.2, 1, 29), (30, 7, 3), (10, 0.5, 19), (9, None, 0)],
)
def test_empty_periods(idle_days, period_days, periods):
    system = get_system("glicko-2", {"period_days": period_days})
    skill = Glicko2Skill(1500.0, 50.0, 0.06)
    waited = Glicko2Skill(1500.0, math.sqrt(50**2 + periods * (0.06 * 173.7178) ** 2), 0.06)
    idle, fresh = match(skill, idle=(idle_days, 0.0)), match(waited)
    assert system.rate(idle)[0][0] == pytest.approx(system.rate(fresh)[0][0], rel=1e-12)
    chances = [system.win_probability([t.players for t in result.teams]) for result in (idle, fresh)]
    assert chances[0] == pytest.approx(chances[1], abs=1e-12)


def test_no_deviation_is_above_350():
    skill = Glicko2Skill(1500.0, 349.0, 0.06)
    assert SYSTEM.rate(match(skill, idle=(1e6, 0.0))) == SYSTEM.rate(match(NEW))
    assert SYSTEM.rate(match(Glicko2Skill(1500.0, 500.0, 0.06))) == SYSTEM.rate(match(NEW))
    far = match(NEW, Glicko2Skill(5000.0, 350.0, 0.06))
    assert SYSTEM.rate(far)[0][0].deviation == 350.0


@pytest.mark.parametrize("gap", [3e3, 3e4, 1e6])
def test_absurd_upsets_stay_finite(gap):
    (winner,), (loser,) = SYSTEM.rate(match(NEW, Glicko2Skill(1500.0 + gap, 350.0, 0.06)))
    assert winner.rating - 1500 == pytest.approx(472.22, abs=0.02)
    assert loser.rating - 1500 - gap == pytest.approx(-472.22, abs=0.02)


def test_a_leaver_has_lost_and_both_may_have():
    lost = SYSTEM.rate(match(places=(2, 1)))
    assert SYSTEM.rate(match(left="a")) == lost
    assert SYSTEM.rate(match(left="ab")) == (lost[0], lost[0])


@given(matches_of("glicko-2"))
def test_the_factors_give_the_change(result):
    for team, (after,), (factors,) in zip(result.teams, SYSTEM.rate(result), SYSTEM.explain(result), strict=True):
        stake, score, chance, deviation = (f.value for f in factors)
        before = team.players[0].skill.rating
        assert after.rating - before == pytest.approx(stake * (score - chance), rel=1e-9, abs=1e-6)
        assert after.deviation == pytest.approx(deviation)


def test_win_probability_of_anything_but_a_duel_is_unknown():
    player = [Entrant("a", NEW)]
    assert SYSTEM.win_probability([player, player]) == (0.5, 0.5)
    assert SYSTEM.win_probability([player] * 3) == (None,) * 3


@given(st.floats(0.001, 1), st.floats(0.01, 2.1), st.floats(0.1, 1e6), st.floats(-50, 50), st.floats(0.2, 1.2))
def test_the_volatility_solves_its_equation(volatility, phi, v, delta, tau):
    new = new_volatility(volatility, phi, v, delta, tau)

    def f(x):
        e = math.exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - 2 * math.log(volatility)) / tau**2

    x = 2 * math.log(new)
    assert f(x - 1e-5) >= 0 >= f(x + 1e-5) or f(x - 1e-5) <= 0 <= f(x + 1e-5)


def test_state():
    skill = Glicko2Skill(1643.52, 120.5, 0.0598)
    assert SYSTEM.to_state(skill) == State(164_400, 1643.52, 120.5, 0.0598)
    with pytest.raises(Refused, match="glicko-2 needs a state with mu, sigma and volatility"):
        SYSTEM.from_state(State(164_400, 1643.52, 120.5))


@pytest.mark.parametrize(
    "fields",
    [
        {"rating": math.nan}, {"rating": 2e6}, {"rating": "1500"}, {"deviation": 0}, {"deviation": -30},
        {"volatility": 0}, {"volatility": 11}, {"volatility": None}, {"sigma": 3},
    ],
)  # fmt: skip
def test_bad_skills_are_refused(fields):
    with pytest.raises(Refused, match=r"^glicko-2 skill"):
        SYSTEM.read_skill({**NEW._asdict(), **fields})


def test_a_skill_that_is_no_number_is_never_rated():
    with pytest.raises(Refused, match="glicko-2 can't rate player 'a'"):
        SYSTEM.rate(match(Glicko2Skill(1500.0, math.nan, 0.06)))


@pytest.mark.parametrize("params", [{"tau": 0}, {"period_days": 0}, {"period_days": "1"}, {"start": 1500}])
def test_senseless_parameters_are_refused(params):
    with pytest.raises(Refused, match=r"^glicko-2"):
        get_system("glicko-2", params)
