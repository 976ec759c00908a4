"""The promises of the rating systems over twenty thousand random matches each, and at the ends of what numbers can be.

Plain seeded loops: Hypothesis (test_properties.py) looks for the odd case, these for the rare one. Twenty thousand
are run by `make test-long`, a thousand with every suite.
"""

import math
import random

import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.battle_points.system import BattlePointsSkill
from ranking.systems.elo.system import EloSkill
from ranking.systems.glicko2.system import Glicko2Skill
from ranking.systems.margin.skill import MarginSkill
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.shared.mean_and_deviation import GaussianSkill
from ranking.systems.team_ratio.system import TeamRatioSkill
from ranking.systems.two_layer._performance import round_half_away
from ranking.systems.two_layer.system import TwoLayerSkill
from tests.support.promises import check, numbers, pairs
from tests.support.strategies import MATCHES_OF

EVERY = pytest.mark.parametrize("key", SYSTEMS)


def skill_by_chance(key, chance):
    match key:
        case "team-ratio":
            return TeamRatioSkill(chance.randint(100, 9999))
        case "two-layer":
            return TwoLayerSkill(chance.gauss(25, 8), chance.uniform(2, 25 / 3), chance.randint(0, 5500))
        case "elo":
            return EloSkill(chance.gauss(25, 8))
        case "battle-points":
            return BattlePointsSkill(chance.randint(700, 2600))
        case "glicko-2":
            return Glicko2Skill(chance.gauss(1500, 400), chance.uniform(20, 350), chance.uniform(0.03, 0.1))
        case "margin":
            return MarginSkill(chance.gauss(0, 0.5), chance.uniform(0.05, 0.5), chance.randint(0, 100))
    return GaussianSkill(chance.gauss(25, 10), chance.uniform(0.5, 9))


def match_by_chance(key, chance):
    """Two or three teams of one to three, a fifth of all players gone before the end."""
    _, most_teams, (_, most_players) = MATCHES_OF[key]
    teams, size = chance.randint(2, min(3, most_teams)), chance.randint(1, min(3, most_players))

    def entrant(name):
        skill, left = skill_by_chance(key, chance), chance.random() < 0.2
        stats = {"kills": chance.randint(0, 9), "deaths": chance.randint(0, 9)} if key == "two-layer" else {}
        return Entrant(name, skill, seconds=chance.randint(0, 600), left_early=left, stats=stats)

    return Result(
        tuple(
            Team(tuple(entrant(f"{team} {slot}") for slot in range(size)), place=chance.randint(1, teams))
            for team in range(teams)
        ),
        duration=600,
    )


def check_chances(system, result):
    """They know nothing of the match, add up to 1, and change sides with the teams."""
    teams = [team.players for team in result.teams]
    chances = system.win_probability(teams)
    if len(teams) == 2:
        assert abs(chances[0] + chances[1] - 1) <= 1e-12
        assert system.win_probability(teams[::-1]) == pytest.approx(chances[::-1], abs=1e-12)
    else:
        assert set(chances) == {None} or math.isclose(sum(chances), 1)


def check_own(system, result, rated):
    """What a system promises beyond what all do."""
    for index, (team, skills) in enumerate(zip(result.teams, rated, strict=True)):
        moves = [(player, player.skill, after) for player, after in zip(team.players, skills, strict=True)]
        match system.key:
            case "team-ratio":
                assert all(after.hundredths >= 100 for after in skills)
            case "battle-points":
                assert all(after.rating >= 700 for after in skills)
            case "glicko-2":
                assert all(0 < after.deviation <= 350 and after.volatility > 0 for after in skills)
            case "two-layer":
                check_two_layer(system, result, index, moves)
            case _:
                assert all(after.sigma > 0 for after in skills if isinstance(after, GaussianSkill))


def check_two_layer(system, result, index, moves):
    """A team's points add up, stats move a seventh at most, and nobody moves further than the caps."""
    sides, outcomes = system._enter(result)
    move = system._moves(result, sides, outcomes)[index]
    stakes = [stake.change for stake in move.stakes]
    assert sum(move.points) == round_half_away(math.fsum(stakes))
    for points, f, g in zip(move.points, move.changes, stakes, strict=True):
        assert abs(points - f) < 1
        assert abs(f - g) <= 0.12 * abs(g) + 1e-9
        assert -80 <= points <= 150
    for player, before, after in moves:
        assert 2 <= after.sigma <= 25 / 3
        assert after.mmr <= before.mmr or not player.left_early


@EVERY
@pytest.mark.parametrize("matches", [1_000, pytest.param(20_000, marks=pytest.mark.long)])
def test_many_matches(key, matches):
    system, chance = get_system(key), random.Random(f"rungs {key} {matches}")
    for number in range(matches):
        result = system.attended(match_by_chance(key, chance))
        check(system, result)
        if number % 4 == 0:
            check_chances(system, result)
            check_own(system, result, system.rate(result))


def gaussian(key, mu, sigma):
    """A skill of that mean and that uncertain, as far as the system takes it."""
    match key:
        case "elo":
            return EloSkill(mu)
        case "two-layer":
            return TwoLayerSkill(mu, sigma, 2500)
        case "team-ratio":
            return TeamRatioSkill(max(100, round(abs(mu) * 10**9)))
        case "battle-points":
            return BattlePointsSkill(max(0, round(mu * 1000)))
        case "glicko-2":
            return Glicko2Skill(mu * 1000, max(sigma, 1e-6), 0.06)
        case "margin":
            return MarginSkill(mu, sigma, 10)
    return GaussianSkill(mu, sigma)


def game(key, sizes, places, chance=None, left=0.0):
    """Skills from one end to the other, the favourites first or last by `places`."""
    ends = [(1000.0, 1e-6), (-1000.0, 1e3), (1000.0, 1e3), (-1000.0, 1e-6), (25.0, 25 / 3)]
    return Result(
        tuple(
            Team(
                tuple(
                    Entrant(
                        f"{team} {slot}",
                        gaussian(key, *(ends[(team + slot) % len(ends)])),
                        seconds=300,
                        left_early=chance is not None and chance.random() < left,
                    )
                    for slot in range(size)
                ),
                place=place,
            )
            for team, (size, place) in enumerate(zip(sizes, places, strict=True))
        ),
        duration=600,
    )


@EVERY
@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
@pytest.mark.parametrize("size", [1, 100])
def test_any_skills_and_a_hundred_a_side(key, places, size):
    if size > MATCHES_OF[key][2][1] == 1:
        size = 1
    check(get_system(key), game(key, (size, size), places))
    check(get_system(key), game(key, (size, size), places, random.Random(key), left=0.3))


@EVERY
@pytest.mark.parametrize("ties", [False, True])
def test_two_hundred_against_each_other(key, ties):
    system = get_system(key)
    places = [1 + place // 7 if ties else 1 + place for place in range(200)]
    result = game(key, (1,) * 200, places)
    if system.team_counts[1] is None:
        check(system, result)
        check_chances(system, result)
    else:
        assert MATCHES_OF[key][1] == 2


@EVERY
def test_the_order_of_a_free_for_all_is_the_order_of_its_places(key):
    """Among equals who comes earlier gains no less."""
    system = get_system(key)
    if system.team_counts[1] is not None:
        return
    newcomer = system.newcomer()
    result = Result(tuple(Team((Entrant(str(place), newcomer),), place=place) for place in range(1, 201)))
    after = [numbers(system, skill)[0] for _, skill in pairs(result, system.rate(result))]
    assert after == sorted(after, reverse=True)
