import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.elo.system import EloSkill
from ranking.systems.registry import get_system
from tests.support.strategies import elo_ratings, matches

SYSTEM = get_system("elo")
SKILLS = st.builds(EloSkill, elo_ratings())
MATCHES = matches(SKILLS, most_teams=4)
K = 0.07 * 25 / 6 * math.sqrt(math.pi)


def match(*teams, duration=None):
    """Teams such as (1, 25.0, 27.0): place, ratings."""
    return Result(
        tuple(
            Team(tuple(Entrant(f"{t}-{i}", EloSkill(rating)) for i, rating in enumerate(ratings)), place=place)
            for t, (place, *ratings) in enumerate(teams)
        ),
        duration=duration,
    )


def changes(result, system=SYSTEM):
    return [
        [after.rating - p.skill.rating for p, after in zip(team.players, skills, strict=True)]
        for team, skills in zip(result.teams, system.rate(result), strict=True)
    ]


def test_a_duel_of_equals_moves_half_of_k():
    assert changes(match((1, 25.0), (2, 25.0))) == [[pytest.approx(K / 2)], [pytest.approx(-K / 2)]]


def test_a_draw_moves_towards_the_middle():
    (low,), (high,) = changes(match((1, 20.0), (1, 30.0)))
    assert low == pytest.approx(-high, rel=1e-12)
    assert low > 0


def test_every_opponent_is_a_duel_of_its_own():
    (alone,), pair = changes(match((1, 25.0), (2, 20.0, 30.0)))
    against = [changes(match((1, 25.0), (2, rating)))[0][0] for rating in (20.0, 30.0)]
    assert alone == pytest.approx(sum(against) / 2)
    assert pair == [pytest.approx(changes(match((1, 25.0), (2, rating)))[1][0]) for rating in (20.0, 30.0)]


@given(matches(SKILLS, leavers=False, sizes=(3, 3)))
def test_teams_of_the_same_size_exchange_points(result):
    everybody = get_system("elo", {"counts_shares": False})
    assert math.fsum(change for team in changes(result, everybody) for change in team) == pytest.approx(0, abs=1e-9)


@given(MATCHES, st.booleans())
def test_a_leavers_display_rating_never_rises(result, scale_by_time):
    system = get_system("elo", {"scale_by_time": scale_by_time})
    result = system.attended(result)
    for team, skills in zip(result.teams, system.rate(result), strict=True):
        for entrant, skill in zip(team.players, skills, strict=True):
            if entrant.left_early:
                assert system.display(skill) <= system.display(entrant.skill)


@given(MATCHES)
def test_the_order_of_teams_and_players_does_not_matter(result):
    def by_id(result):
        rated = SYSTEM.rate(result)
        return {
            p.id: s
            for t, skills in zip(result.teams, rated, strict=True)
            for p, s in zip(t.players, skills, strict=True)
        }

    backwards = Result(tuple(Team(t.players[::-1], t.place) for t in result.teams[::-1]), result.duration)
    assert by_id(backwards) == by_id(result)  # exactly: sums are rounded once


@given(matches(SKILLS))
def test_swapping_the_teams_swaps_the_win_probability(result):
    teams = [team.players for team in result.teams]
    p, q = SYSTEM.win_probability(teams)
    assert p + q == pytest.approx(1, abs=1e-12)
    assert SYSTEM.win_probability(teams[::-1]) == (q, p)


def test_more_than_two_teams_have_no_win_probability():
    assert SYSTEM.win_probability([t.players for t in match((1, 2.0), (2, 3.0), (3, 4.0)).teams]) == (None,) * 3


def leaver_match(seconds=25):
    left = Entrant("a", EloSkill(25.0), seconds=seconds, left_early=True)
    return Result(
        (Team((left, Entrant("b", EloSkill(25.0))), 1), Team((Entrant("c", EloSkill(25.0)),), 2)),
        duration=100,
    )


def test_a_leaver_loses_though_the_team_won():
    assert changes(leaver_match()) == [[pytest.approx(-K / 2), pytest.approx(K / 2)], [pytest.approx(-K / 2)]]


def test_scaled_by_time_a_leaver_loses_for_the_part_played():
    scaled = get_system("elo", {"scale_by_time": True})
    assert changes(leaver_match(), scaled)[0] == [pytest.approx(-K / 8), pytest.approx(K / 2)]
    assert changes(leaver_match(seconds=0), scaled)[0][0] == 0


def test_if_every_team_left_whole_all_have_lost():
    teams = tuple(
        Team((Entrant(name, EloSkill(25.0), left_early=True),), place) for name, place in (("a", 1), ("b", 2))
    )
    assert changes(Result(teams)) == [[pytest.approx(-K / 2)]] * 2


@given(MATCHES, st.booleans())
def test_the_factors_give_the_change(result, scale_by_time):
    system = get_system("elo", {"scale_by_time": scale_by_time, "counts_shares": False})
    for team, moved in zip(
        zip(result.teams, system.explain(result), strict=True), changes(result, system), strict=True
    ):
        for entrant, factors, change in zip(team[0].players, team[1], moved, strict=True):
            k, score, chance, *time = (f.value for f in factors)
            assert change == pytest.approx(k * (score - chance) * math.prod(time), abs=1e-9)
            assert all(f.note.endswith(".") for f in factors)
            assert score == 0 or not entrant.left_early


def test_why_in_words():
    stake, score, chance = SYSTEM.explain(match((1, 25.0), (2, 25.0), (2, 30.0)))[1][0]
    assert (stake.name, stake.kind, stake.value) == ("Stake (K)", "stake", pytest.approx(K))
    assert (score.value, score.note) == (
        0.25,
        "The share won of 2 duels, one with each player of all other teams; a tie counts half.",
    )
    assert chance.note == "The mean chance in 2 duels, one with every opponent, by the ratings before the match."
    share = "The share won of 2 duels, one with each player of all other teams; a tie counts half."
    notes = [team[0][1].note for team in SYSTEM.explain(match((1, 25.0), (2, 25.0), (3, 30.0)))]
    assert notes == [share] * 3  # neither won nor lost, and the second of three hasn't drawn
    gone = SYSTEM.explain(leaver_match())[0][0][1]
    assert gone.note == "Leaving early counts as a loss, whatever the result."


@given(elo_ratings())
def test_state_and_json_keep_the_float_itself(rating):
    skill = EloSkill(rating)
    state = SYSTEM.to_state(skill)
    assert SYSTEM.from_state(state) == skill == SYSTEM.read_skill(SYSTEM.write_skill(skill))
    assert state.display_hundredths == int(SYSTEM.display(skill) * 100)


@pytest.mark.parametrize("rating", [math.nan, math.inf, 10**400, "25", True, None, 1e13])
def test_ratings_that_are_no_numbers_are_refused(rating):
    with pytest.raises(Refused, match=r"^elo skill: rating must be"):
        SYSTEM.read_skill({"rating": rating})


def test_a_state_without_its_rating_is_refused():
    with pytest.raises(Refused, match="mu"):
        SYSTEM.from_state(State(display_hundredths=2500))


def test_a_rating_that_is_not_finite_is_never_rated():
    with pytest.raises(Refused, match=r"elo can't rate player '0-0', whose skill is EloSkill\(rating=nan\)"):
        SYSTEM.rate(match((1, math.nan), (2, 25.0)))


@pytest.mark.parametrize(("matches", "times"), [(0, 2.0), (5, 1.5), (10, 1.0), (11, 1.0)])
def test_alpha_falls_with_the_number_of_matches(matches, times):
    system = get_system("elo", {"alpha_first": 0.14, "alpha_matches": 10})
    teams = (
        Team((Entrant("a", EloSkill(25.0), matches=matches),), 1),
        Team((Entrant("b", EloSkill(25.0), matches=99),), 2),
    )
    (won,), (lost,) = system.rate(Result(teams))
    assert won.rating - 25 == pytest.approx(times * (25 - lost.rating))
    assert system.explain(Result(teams))[0][0][0].value == pytest.approx(times * system.k(99))
