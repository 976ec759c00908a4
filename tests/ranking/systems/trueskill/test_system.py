import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.registry import get_system
from ranking.systems.shared.mean_and_deviation import GaussianSkill, explain_change
from ranking.systems.trueskill._performances import lessons_of, performance, two_lessons
from tests.support.strategies import matches_of, trueskill_skills

SYSTEM = get_system("trueskill")


def match(*teams):
    """Teams such as (1, (25.0, 8.0)): place, skills."""
    return Result(
        tuple(
            Team(tuple(Entrant(f"{t}-{i}", GaussianSkill(*skill)) for i, skill in enumerate(skills)), place=place)
            for t, (place, *skills) in enumerate(teams)
        )
    )


def flat(rated):
    return [number for skills in rated for skill in skills for number in skill]


TEAMS = st.lists(trueskill_skills(), min_size=1, max_size=5)


@given(TEAMS, TEAMS, st.sampled_from([(1, 2), (2, 1), (1, 1)]), st.sampled_from([0.0, 0.1, 1.3]))
def test_two_teams_by_messages_are_the_closed_form(first, second, places, unit_margin):
    sides = [performance(skills, 0.1, 4.0) for skills in (first, second)]
    closed = two_lessons(sides, places, unit_margin)
    passed = lessons_of(sides, places, unit_margin)
    after = [[side.after(*lesson) for side, lesson in zip(sides, got, strict=True)] for got in (closed, passed)]
    assert flat(after[1]) == pytest.approx(flat(after[0]), rel=1e-9, abs=1e-9)


@given(matches_of("trueskill", leavers=False))
def test_nobody_is_left_out_of_the_sums(result):
    """The means of all, by the inverse of their variances, stay where they were but for the drift: within 1 % of the
    largest move. Ties of many sides are settled within 0.2 % of it.
    """
    everybody = get_system("trueskill", {"counts_shares": False})
    moved = [
        (after.mu - player.skill.mu) / (player.skill.sigma**2 + SYSTEM.tau**2)
        for team, skills in zip(result.teams, everybody.rate(result), strict=True)
        for player, after in zip(team.players[:1], skills[:1], strict=True)
    ]
    assert math.fsum(moved) == pytest.approx(0, abs=1e-2 * max(map(abs, moved)) + 1e-9)


def test_a_free_for_all_of_equals():
    (first,), (second,), (third,) = SYSTEM.rate(match(*[(place, (25.0, 25 / 3)) for place in (1, 2, 3)]))
    assert first == pytest.approx((31.6753519, 6.6559858), rel=1e-8)
    assert second == pytest.approx((25.0, 6.2078969), rel=1e-8)
    assert third == pytest.approx((50 - first.mu, first.sigma), rel=1e-9)


@pytest.mark.parametrize("sigma", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize(
    "shape",
    [
        [(2, 1000, 100), (1, -1000, 100)],
        [(1, 1000, 100), (1, -1000, 100)],
        [(place, 1000 - 10 * place, 1) for place in range(200, 0, -1)],
        [(place, 10 * place - 1000, 1) for place in range(200, 0, -1)],
        [(1 + place // 3, (-1) ** place * 1000, 1) for place in range(200)],
    ],
)
def test_absurd_matches_stay_finite(shape, sigma):
    rated = SYSTEM.rate(match(*[(place, *[(mu, sigma)] * size) for place, mu, size in shape]))
    assert all(map(math.isfinite, flat(rated)))
    assert all(skill.sigma > 0 for skills in rated for skill in skills)


def test_an_absurd_upset():
    (winner,), (loser,) = SYSTEM.rate(match((1, (-175.0, 1.0)), (2, (225.0, 1.0))))
    assert winner == pytest.approx((-164.01310891966213, 0.9896212370899086), rel=1e-9)
    assert loser == pytest.approx((214.01310891966213, 0.9896212370899086), rel=1e-9)


def weighted(*weights, **fields):
    teams = match((1, *[(25.0, 8.0)] * len(weights)), (2, (25.0, 8.0))).teams
    players = tuple(replace(p, weight=w, **fields) for p, w in zip(teams[0].players, weights, strict=True))
    return SYSTEM.rate(Result((Team(players, 1), teams[1]), duration=100))[0]


def test_weights():
    full, half, none = weighted(1.0, 0.5, 0.0)
    assert full.mu > half.mu > none.mu
    assert none == weighted(1.0, 0.5, 0.0001)[2]  # the least weight
    assert weighted(1.0, 1.0) == weighted(None, None)


def test_a_leaver_counts_for_the_part_played_and_is_rated_as_last():
    teams = match((1, (25.0, 8.0), (25.0, 8.0)), (2, (25.0, 8.0))).teams
    stayed, gone = teams[0].players
    left = replace(gone, left_early=True, seconds=50)
    rated = SYSTEM.rate(Result((Team((stayed, left), 1), teams[1]), duration=100))
    as_half = SYSTEM.rate(Result((Team((stayed, replace(gone, weight=0.5)), 1), teams[1])))
    as_last = SYSTEM.rate(Result((Team((stayed, gone), 3), teams[1])))
    assert rated[0][0] == as_half[0][0]
    assert rated[1] == as_half[1]
    assert rated[0][1] == (as_last[0][1].mu, 8.0)  # sigma doesn't fall


def test_win_probability_is_of_sums_and_can_be_cooled():
    teams = [team.players for team in match((1, (25.0, 3.0), (25.0, 3.0)), (2, (30.0, 4.0))).teams]
    variance = 2 * 9 + 16 + 3 * (25 / 6) ** 2
    p = 0.5 * math.erfc(-20 / math.sqrt(variance) / math.sqrt(2))
    assert SYSTEM.win_probability(teams) == pytest.approx((p, 1 - p), abs=1e-15)
    cooled = get_system("trueskill", {"temperature": 2.0})
    assert 0.5 < cooled.win_probability(teams)[0] < p
    assert SYSTEM.win_probability([*teams, teams[0]]) == (None, None, None)


@given(matches_of("trueskill"))
def test_the_amounts_add_up_to_the_change(result):
    for team, skills, why in zip(result.teams, SYSTEM.rate(result), SYSTEM.explain(result), strict=True):
        for player, after, factors in zip(team.players, skills, why, strict=True):
            change = after.mu - player.skill.mu - 3 * (after.sigma - player.skill.sigma)
            amounts = math.fsum(f.value for f in factors if f.kind == "amount")
            assert amounts == pytest.approx(change, rel=1e-9, abs=1e-9)


def test_why_in_words():
    why = SYSTEM.explain(match((1, (25.0, 8.0)), (2, (25.0, 8.0))))
    assert [f.name for f in why[0][0]] == ["Win expectation", "Skill", "Certainty"]
    assert [f.note for f in why[1][0]] == [
        "The chance to win by the skills before the match.",
        "The result was worse than expected.",
        "This match made the skill more certain, so less of it is held back from the rating.",
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"mu": 25.0}, "trueskill skill: sigma must be a number, not None."),
        ({"mu": 25.0, "sigma": 0}, "trueskill skill: sigma must be greater than 0, not 0."),
        ({"mu": 25.0, "sigma": -1}, "trueskill skill: sigma must be greater than 0, not -1."),
        ({"mu": math.nan, "sigma": 1}, "trueskill skill: mu must be a finite number, not nan."),
        ({"mu": True, "sigma": 1}, "trueskill skill: mu must be a number, not True."),
        ({"mu": 1e13, "sigma": 1}, "trueskill skill: mu must be at most 1e+12, not 10000000000000.0."),
        ({"rating": 1}, "trueskill skill has an unknown field 'rating'; known are mu, sigma."),
    ],
)
def test_bad_skills_are_refused(fields, sentence):
    with pytest.raises(Refused) as refused:
        SYSTEM.read_skill(fields)
    assert str(refused.value) == sentence


def test_a_state_without_its_deviation_is_refused():
    with pytest.raises(Refused, match="needs a state with mu and sigma"):
        SYSTEM.from_state(State(0, mu=25.0))


def test_a_skill_that_is_no_number_is_never_rated():
    with pytest.raises(Refused, match=r"trueskill can't rate player '0-0', whose skill is GaussianSkill\(mu=nan"):
        SYSTEM.rate(match((1, (math.nan, 8.0)), (2, (25.0, 8.0))))


@pytest.mark.parametrize("params", [{"draw_probability": 1.0}, {"beta": 0}, {"sigma": -1}, {"tau": -0.1}, {"gamma": 1}])
def test_senseless_parameters_are_refused(params):
    with pytest.raises(Refused, match=r"^trueskill"):
        get_system("trueskill", params)


def test_changes_that_read_as_nothing_are_called_nothing():
    player = Entrant("a", GaussianSkill(24.0, 2.0))
    notes = [factor.note for factor in explain_change(player, GaussianSkill(24.0003, 2.0015), None)]
    assert notes == [
        "The result was as expected.",
        "This match made the skill neither more nor less certain.",
    ]
