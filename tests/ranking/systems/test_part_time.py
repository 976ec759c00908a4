"""What part-time players do to a match, in every system with teams: by a match, and by a history.

Some dozens of random matches with every suite, thousands by `make test-long`.
"""

import random
from dataclasses import replace
from math import sqrt
from statistics import fmean

import pytest

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.batch.history import history_of
from ranking.systems.batch.states import states_of
from ranking.systems.elo.system import EloSkill
from ranking.systems.margin.skill import START, MarginSkill
from ranking.systems.registry import get_system
from ranking.systems.replay.replaying import replay
from ranking.systems.shared.explanations import moved_by
from ranking.systems.shared.mean_and_deviation import GaussianSkill, shown
from ranking.systems.shared.rules import check_result, effective_places, left_whole
from ranking.systems.shared.staying import explanations_of, leavers_of, stayed_and_last
from ranking.systems.team_ratio.system import TeamRatioSkill
from ranking.systems.two_layer.system import TwoLayerSkill
from tests.support.strategies import MATCHES_OF

EVERY = pytest.mark.parametrize("key", [key for key, (_, _, (_, most)) in MATCHES_OF.items() if most > 1])
MATCHES = pytest.mark.parametrize("matches", [40, pytest.param(3_000, marks=pytest.mark.long)])
LENGTH = 3600.0


def skill_by_chance(key, chance, mean=0.0, sigma=None):
    """An ordinary skill; `mean`: in deviations of the field."""
    level, sigma = mean + chance.gauss(0, 0.5), sigma or chance.uniform(0.3, 1)
    match key:
        case "team-ratio":
            return TeamRatioSkill(max(100, round(2000 + 500 * level)))
        case "elo":
            return EloSkill(25 + 4 * level)
        case "margin":
            return MarginSkill(0.4 * level, 0.5 * sigma, 20)
        case "two-layer":
            return TwoLayerSkill(25 + 4 * level, 25 / 3 * sigma, round(2500 + 300 * level))
    return GaussianSkill(25 + 4 * level, 25 / 3 * sigma)


def rating_of(system, skill):
    """The display rating, not rounded but where the system itself rounds."""
    match system.key:
        case "elo":
            return skill.rating
        case "margin":
            return START + system.points * (skill.mu - system.caution * skill.sigma)
        case "team-ratio" | "two-layer":
            return float(system.display(skill))
    return shown(skill)


def match_by_chance(key, chance, *, leaving=0.0, part_time=0.0, teams=None):
    """Teams of two to five; some left, others were there in part."""
    count = teams or chance.randint(2, min(3, MATCHES_OF[key][1]))

    def entrant(name):
        left, part = chance.random() < leaving, chance.random() < part_time
        seconds = chance.randint(0, 3599) if left or part else chance.choice([None, LENGTH])
        joined_at = chance.choice([None, chance.randint(0, 3600)]) if part else None
        stats = {"kills": chance.randint(0, 9)} if key == "two-layer" and (leaving or part_time) else {}
        return Entrant(name, skill_by_chance(key, chance), seconds, left, stats=stats, joined_at=joined_at)

    return Result(
        tuple(
            Team(tuple(entrant(f"{team}-{slot}") for slot in range(chance.randint(2, 5))), chance.randint(1, count))
            for team in range(count)
        ),
        LENGTH,
    )


def rate_at_once(system, result):
    """The skills after a match by the batch face."""
    players = [player for team in result.teams for player in team.players]
    states = states_of([system.to_state(player.skill) for player in players])
    history = history_of([result], {player.id: number for number, player in enumerate(players)})
    after = replay([(0, system)], history, states, scalar_below=0).after
    numbers = iter(range(len(players)))
    return tuple(tuple(system.from_state(after[next(numbers)]) for _ in team.players) for team in result.teams)


def changes(system, result, *, at_once=False):
    """By id: the change of the display rating."""
    rated = rate_at_once(system, result) if at_once else system.rate(result)
    return {
        player.id: rating_of(system, after) - rating_of(system, player.skill)
        for team, skills in zip(result.teams, rated, strict=True)
        for player, after in zip(team.players, skills, strict=True)
    }


def shown_to(key):
    """What the last digit of a display is worth: a leaver stays lower by the displays as they are shown."""
    return 1.0 if key == "margin" else 0.01


def drift_of(system, player):
    """What the time between two matches takes from a display rating of margin, however short a match is."""
    if system.key != "margin":
        return 0.0
    return system.points * system.caution * (sqrt(system._variance(player)) - player.skill.sigma)


def with_team(result, index, players):
    teams = list(result.teams)
    teams[index] = replace_players(teams[index], tuple(players))
    return replace(result, teams=tuple(teams))


def statuses(result):
    """Who left, and which teams left whole."""
    left = {player.id for team in result.teams for player in team.players if player.left_early}
    return left, [left_whole(team) for team in result.teams]


@EVERY
@MATCHES
def test_if_all_shares_are_one_nothing_changes(key, matches):
    system, chance = get_system(key, {"counts_shares": False}), random.Random(f"ones {key}")
    by_shares, seen = get_system(key), 0
    for _ in range(matches):
        result = match_by_chance(key, chance, leaving=0.2)
        known = by_shares.attended(result)
        # Below other teams that left whole, leavers of the last team are rated by another rule.
        if statuses(known) != statuses(result) or (len(result.teams) > 2 and any(map(left_whole, known.teams))):
            continue
        seen += 1
        assert by_shares.rate(result) == system.rate(result)
        assert rate_at_once(by_shares, result) == rate_at_once(system, result)
        before = system.win_probability([team.players for team in result.teams])
        assert by_shares.win_probability([team.players for team in known.teams]) == before
    assert seen > matches / 3


@EVERY
@MATCHES
@pytest.mark.parametrize("at_once", [False, True])
def test_a_second_of_an_hour_changes_nothing(key, matches, at_once):
    system, chance, seen = get_system(key), random.Random(f"seconds {key}"), 0
    for number in range(matches):
        result, index = match_by_chance(key, chance, leaving=0.1 * (number % 2)), 0
        joined_at = chance.choice([None, 3599])
        guest = Entrant("guest", skill_by_chance(key, chance, mean=chance.choice([-1, 0, 1])), 1.0, joined_at=joined_at)
        more = with_team(result, index, (*result.teams[index].players, guest))
        if statuses(system.attended(more)) != statuses(system.attended(result)):
            continue  # the guest was there when others left
        seen += 1
        without, own = changes(system, result, at_once=at_once), changes(system, more, at_once=at_once)
        largest = max(map(abs, without.values()))
        apart = 1.0 if key == "two-layer" else max(0.01, 0.01 * largest) + 1e-9
        left, _ = statuses(system.attended(result))
        for name in without:
            assert abs(own[name] - without[name]) <= apart + (name in left) * shown_to(key), (number, name)
        assert abs(own["guest"]) <= apart + drift_of(system, guest), number
    assert seen > matches / 2


@EVERY
@MATCHES
@pytest.mark.parametrize("at_once", [False, True])
def test_two_who_share_a_slot_are_one_player(key, matches, at_once):
    """On average over matches, to the others."""
    system, chance, apart, sizes = get_system(key), random.Random(f"slots {key}"), [], []
    for _ in range(matches):
        result = match_by_chance(key, chance)
        share, sigma = chance.uniform(0.1, 0.9), chance.uniform(0.3, 1)
        skills = [skill_by_chance(key, chance, sigma=sigma) for _ in range(2)]
        pair = [
            Entrant("first", skills[0], share * LENGTH),
            Entrant("second", skills[1], (1 - share) * LENGTH, joined_at=share * LENGTH),
        ]
        full = Entrant("full", between(*skills, share))
        mates = result.teams[0].players
        shared, whole = (
            changes(system, with_team(result, 0, (*mates, *players)), at_once=at_once) for players in (pair, [full])
        )
        others = whole.keys() - {"full"}
        apart += [abs(shared[name] - whole[name]) for name in others]
        sizes += [abs(whole[name]) for name in others]
    assert fmean(apart) <= 0.1 * fmean(sizes)


def between(first, second, share):
    """The skill of a full player who stands for two of the same deviation."""

    def mean(one, other):
        value = share * one + (1 - share) * other
        return round(value) if isinstance(one, int) else value

    if isinstance(first, tuple):
        return type(first)(*map(mean, first, second))
    return replace(first, **{name: mean(getattr(first, name), getattr(second, name)) for name in first.__slots__})


@EVERY
@MATCHES
def test_staying_and_coming_last_is_never_worse(key, matches):
    """Who is safe to leave is decided once, by the report."""
    system, chance, seen = get_system(key), random.Random(f"staying {key}"), 0
    for _ in range(matches):
        result = system.attended(match_by_chance(key, chance, leaving=0.3, part_time=0.3))
        rated, places = system.rate(result), effective_places(result, check_result(system, result))
        for seat in leavers_of(result):
            stayed = stayed_and_last(result, places, seat)
            player = stayed.teams[seat.team].players[seat.slot]
            stats = {"kills": chance.randint(0, 9)} if key == "two-layer" else {}
            players = list(stayed.teams[seat.team].players)
            players[seat.slot] = replace(player, stats=stats)
            as_last = system.rate_reported(with_team(stayed, seat.team, players))[seat.team][seat.slot]
            left = rated[seat.team][seat.slot]
            assert system.display(left) <= system.display(as_last) + (key == "two-layer")
            assert system.display(left) <= system.display(player.skill)
            seen += 1
    assert seen > matches / 3


@EVERY
@MATCHES
def test_a_change_is_explained_by_the_share(key, matches):
    """What the factors make is the change, before team-ratio rounds it."""
    system, chance, seen = get_system(key), random.Random(f"explained {key}"), 0
    for _ in range(matches):
        result = match_by_chance(key, chance, part_time=0.3)
        moved = changes(system, result)
        for team, factors in zip(system.attended(result).teams, system.explain(result), strict=True):
            for player, own in zip(team.players, factors, strict=True):
                part = [factor for factor in own if factor.name == "Time played"]
                assert [factor.value for factor in part] == [player.share] * len(part)
                assert len(part) == (player.share < 1) or own[0].name == "Draw"
                seen += len(part)
                assert moved_by(own) == pytest.approx(moved[player.id], abs=0.0051 if key == "team-ratio" else 1e-9)
    assert seen > matches / 3


@EVERY
def test_a_system_that_is_not_asked_for_shares_counts_everybody_in_full(key):
    """So are older versions of parameters; team-ratio counts seconds all the same."""
    system, chance = get_system(key, {"counts_shares": False}), random.Random(f"whole {key}")
    for _ in range(20):
        result = match_by_chance(key, chance, part_time=0.5)
        everybody = [
            tuple(replace(player, seconds=None, joined_at=None) for player in team.players) for team in result.teams
        ]
        whole = replace(result, teams=tuple(map(replace_players, result.teams, everybody)))
        assert system.attended(result) is result
        if key != "team-ratio":
            assert system.rate(result) == system.rate(whole)


def replace_players(team, players):
    return replace(team, players=players)


def test_why_a_part_time_player_counts_less():
    system = get_system("elo")

    def why(**fields):
        player = Entrant("a", EloSkill(25), **fields)
        mates = (player, Entrant("b", EloSkill(25)))
        result = Result((Team(mates, 1), Team((Entrant("x", EloSkill(25)),), 2)), 600.0, rounds=12)
        return explanations_of(system, result)[0][0].reasons[-1]

    by_time, by_rounds, late = why(seconds=300), why(rounds_played=3), why(joined_at=450.0)
    assert (by_time.name, by_time.value) == ("Time played", "×0.50")
    assert by_time.note == "A player who was there for 300 of 600 seconds counts by that share."
    assert by_rounds.note == "A player who was there for 3 of 12 rounds counts by that share."
    assert (late.value, late.note) == ("×0.25", "A player who was there for 150 of 600 seconds counts by that share.")
