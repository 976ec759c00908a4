"""A leaver alone among players of weight 1 needs no case: staying and coming last never shows less."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Team
from ranking.systems.registry import get_system
from ranking.systems.shared.rules import check_result
from ranking.systems.shared.staying import Seat, stayed_and_last
from tests.support.examples import examples
from tests.support.strategies import matches_of


@examples(60, deadline=None)
@given(st.data())
def test_staying_and_coming_last_never_shows_less_to_who_left_alone(data):
    result = data.draw(matches_of("trueskill", leavers=False))
    index = data.draw(st.integers(0, len(result.teams) - 1))
    seat = Seat(index, data.draw(st.integers(0, len(result.teams[index].players) - 1)))
    players = list(result.teams[index].players)
    players[seat.slot] = replace(players[seat.slot], left_early=True)
    teams = list(result.teams)
    teams[index] = Team(tuple(players), teams[index].place)
    left, system = replace(result, teams=tuple(teams)), get_system("trueskill")
    case = stayed_and_last(left, check_result(system, left), seat)
    mu, sigma = system.rate_reported(left)[seat.team][seat.slot]
    stayed_mu, stayed_sigma = system.rate_last(case, seat)
    assert abs(mu - stayed_mu) <= 1e-9 * max(1.0, abs(mu))
    assert stayed_sigma <= sigma * (1 + 1e-9)
