import math
from dataclasses import replace

import pytest
from hypothesis import given
from openskill.models import PlackettLuce

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.registry import get_system
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.weng_lin.ties import chained_omegas_and_deltas
from tests.support.strategies import matches_of

SYSTEM, CHAIN = get_system("weng-lin"), get_system("weng-lin", {"ties": "chain", "counts_shares": False})
MODEL = PlackettLuce()


def match(*teams):
    """Teams such as (1, (25.0, 8.0)): place, skills."""
    return Result(
        tuple(
            Team(tuple(Entrant(f"{t}-{i}", GaussianSkill(*skill)) for i, skill in enumerate(skills)), place=place)
            for t, (place, *skills) in enumerate(teams)
        )
    )


@given(matches_of("weng-lin", leavers=False))
def test_it_is_the_package(result):
    teams = [[MODEL.rating(*player.skill) for player in team.players] for team in result.teams]
    rated = MODEL.rate(teams, ranks=[team.place for team in result.teams])
    numbers = [number for team in rated for player in team for number in (player.mu, player.sigma)]
    chances = MODEL.predict_win(teams)
    own = [number for team in CHAIN.rate(result) for skill in team for number in skill]
    own_chances = list(SYSTEM.win_probability([team.players for team in result.teams]))
    if len(teams) == 2:  # by our own formula
        numbers, chances = (pytest.approx(values, rel=1e-12, abs=1e-12) for values in (numbers, chances))
    assert (own, own_chances) == (numbers, chances)


@given(matches_of("weng-lin", leavers=False))
def test_the_formulas_for_part_time_players_are_the_packages_if_nobody_is_one(result):
    everyone = tuple(
        Team(tuple(Entrant(player.id, player.skill) for player in team.players), team.place) for team in result.teams
    )
    numbers = [number for team in CHAIN.rate(Result(everyone)) for skill in team for number in skill]
    rated = CHAIN._rate_by(everyone, chained_omegas_and_deltas)
    assert [number for team in rated for skill in team for number in skill] == pytest.approx(numbers, rel=1e-9)


def test_a_part_time_player_stands_for_a_part_of_a_player():
    """Two players of no variance to speak of who share a slot, and a full player of their mean, in a match of three."""
    one = match((1, (30.0, 1e-6), (20.0, 1e-6)), (2, (25.0, 8.0)), (3, (27.0, 3.0))).teams
    half = tuple(replace(player, seconds=300.0) for player in one[0].players)
    shared, full = (
        Result((Team(half, 1), *one[1:]), 600.0),
        match((1, (25.0, 1e-6)), (2, (25.0, 8.0)), (3, (27.0, 3.0))),
    )
    others = [number for team in SYSTEM.rate(shared)[1:] for skill in team for number in skill]
    numbers = [number for team in SYSTEM.rate(full)[1:] for skill in team for number in skill]
    assert others == pytest.approx(numbers, rel=1e-4)  # what drifts, tau², is half
    chances = SYSTEM.win_probability([team.players for team in SYSTEM.attended(shared).teams])
    assert chances == pytest.approx(SYSTEM.win_probability([team.players for team in full.teams]))


def test_a_newcomer_is_the_packages():
    assert SYSTEM.newcomer() == (MODEL.rating().mu, MODEL.rating().sigma)


def test_three_teams_have_a_chance_each():
    result = match((1, (25.0, 8.0)), (2, (25.0, 8.0)), (3, (40.0, 1.0)))
    chances = SYSTEM.win_probability([team.players for team in result.teams])
    assert math.fsum(chances) == pytest.approx(1)
    assert chances[0] == chances[1] < chances[2]


def test_a_leaver_keeps_sigma_and_is_rated_as_last():
    teams = match((1, (25.0, 8.0), (25.0, 8.0)), (2, (25.0, 8.0))).teams
    stayed, gone = teams[0].players
    left = Entrant(gone.id, gone.skill, left_early=True)
    rated = SYSTEM.rate(Result((Team((stayed, left), 1), teams[1])))
    as_last = SYSTEM.rate(Result((Team(teams[0].players, 3), teams[1])))
    assert rated[0][0] == SYSTEM.rate(Result(teams))[0][0]
    assert rated[0][1] == (as_last[0][1].mu, 8.0)


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
def test_teams_far_apart_do_not_overflow(size, places):
    high, low = SYSTEM.rate(match((places[0], *[(1000.0, 0.1)] * size), (places[1], *[(-1000.0, 0.1)] * size)))
    assert all(math.isfinite(number) for skill in (*high, *low) for number in skill)
    assert high[0].mu - 1000 == pytest.approx(-1000 - low[0].mu, abs=1e-9)
    assert (high[0].mu - 1000 < -1e-4) == (places != (1, 2))


def test_where_it_matters_not_teams_are_moved_closer():
    """400 c apart is the same as 4000 c apart: both are certain."""
    near = SYSTEM.rate(match((2, (2000.0, 1.0)), (1, (0.0, 1.0)), (3, (-10.0, 1.0))))
    far = SYSTEM.rate(match((2, (20_000.0, 1.0)), (1, (0.0, 1.0)), (3, (-10.0, 1.0))))
    assert far[0][0].mu - 20_000 == pytest.approx(near[0][0].mu - 2000, rel=1e-9)
    assert far[1][0] == pytest.approx(near[1][0], rel=1e-9)
    assert far[2][0] == pytest.approx(near[2][0], rel=1e-9)


def test_many_teams_too_far_apart_are_refused():
    with pytest.raises(Refused, match="weng-lin can't rate teams as far apart as these"):
        SYSTEM.rate(match(*[(place, (1e9 * place, 1.0)) for place in range(1, 60)]))


@pytest.mark.parametrize(
    "fields", [{}, {"mu": 25.0}, {"mu": 25.0, "sigma": 0}, {"mu": math.inf, "sigma": 1}, {"mu": 1, "sigma": 1, "x": 1}]
)
def test_bad_skills_are_refused(fields):
    with pytest.raises(Refused, match=r"^weng-lin skill"):
        SYSTEM.read_skill(fields)


def test_a_larger_beta_makes_matches_tell_less():
    """A match that depends more on the day's form moves skills less."""
    systems = [get_system("weng-lin", {"beta": beta}) for beta in (2.0, 4.0, 8.0)]
    moved = [system.rate(match((1, (25.0, 8.0)), (2, (25.0, 8.0))))[0][0].mu - 25 for system in systems]
    assert moved[0] > moved[1] > moved[2] > 0


@pytest.mark.parametrize("sides", [2, 3])
def test_chances_can_be_cooled(sides):
    result = match(*[(place, (30.0 - 5 * place, 3.0)) for place in range(1, sides + 1)])
    teams, cooled = [team.players for team in result.teams], get_system("weng-lin", {"temperature": 2.0})
    chances, cooler = SYSTEM.win_probability(teams), cooled.win_probability(teams)
    assert sum(cooler) == pytest.approx(1)
    assert chances[0] > cooler[0] > 1 / sides > cooler[-1] > chances[-1]
    assert cooled.rate(result) == SYSTEM.rate(result)


def test_other_parameters_are_refused():
    with pytest.raises(
        Refused, match="weng-lin has no parameter 'kappa'; it has beta, tau, temperature, ties, win_never"
    ):
        get_system("weng-lin", {"kappa": 1.0})
