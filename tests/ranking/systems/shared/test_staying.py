"""Staying is always better: what it costs to find out, and what a leaver is told."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.registry import get_system
from ranking.systems.shared.rules import check_result
from ranking.systems.shared.staying import Seat, explanations_of, leavers_of, stayed_and_last
from ranking.systems.trueskill.system import TrueSkill
from tests.support.strategies import MATCHES_OF


@dataclass(frozen=True, slots=True)
class CountingTrueSkill(TrueSkill):
    """Counts how often the formula is computed."""

    key: ClassVar[str] = "counting"
    matches: list[int] = field(default_factory=list)

    def _rate(self, teams, places, weights):
        self.matches.append(len(teams))
        return TrueSkill._rate(self, teams, places, weights)


def all_left(system, teams, size, **more):
    return Result(
        tuple(
            Team(tuple(Entrant(f"{team}-{slot}", system.newcomer(), 30.0, True) for slot in range(size)), team + 1)
            for team in range(teams)
        ),
        duration=60.0,
        **more,
    )


@pytest.mark.parametrize(("teams", "size"), [(2, 6), (6, 2), (16, 1)])
def test_each_leaver_costs_the_formula_once_more(teams, size):
    """The match, each team that somebody left, each leaver as if they had stayed: no leaver within another's case."""
    system = CountingTrueSkill()
    system.rate(all_left(system, teams, size))
    assert len(system.matches) == 1 + teams + teams * size


@pytest.mark.parametrize("key", MATCHES_OF)
def test_a_supposed_match_rates_its_stayer_as_a_match_does(key):
    """The same match as a report has the leavers' rule for the others, too."""
    system, (_, most_teams, (_, most)) = get_system(key), MATCHES_OF[key]
    teams = all_left(system, most_teams, min(3, most)).teams
    # In each team, everybody but the last player left; where a team is one player, only the first team.
    result = Result(
        tuple(
            Team((*team.players[:-1], replace(team.players[-1], left_early=most == 1 and index == 0)), team.place)
            for index, team in enumerate(teams)
        ),
        duration=60.0,
    )
    places = check_result(system, result)
    assert list(leavers_of(result))
    for seat in leavers_of(result):
        case = stayed_and_last(result, places, seat)
        reported = system.rate_reported(replace(case, places_stand=False))
        assert system.rate_stayer(case, seat) == reported[seat.team][seat.slot]


def test_what_a_leaver_is_told_asks_for_each_leaver_once():
    system = CountingTrueSkill()
    result = all_left(system, 4, 2)
    told = explanations_of(system, result)
    assert all(explanation.leaving for team in told for explanation in team)
    per_player = len(system.matches) / 8
    system.matches.clear()
    explanations_of(system, all_left(system, 8, 2))
    assert len(system.matches) / 16 <= per_player + 1


def test_seats_of_leavers():
    system = get_system("elo")
    result = all_left(system, 2, 1)
    stayed = replace(result.teams[0].players[0], left_early=False)
    assert list(leavers_of(replace(result, teams=(Team((stayed,), 1), result.teams[1])))) == [Seat(1, 0)]
