# ruff: noqa: E501 - one case a line, whole sentences
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, State, Team
from ranking.systems.registry import get_system
from ranking.systems.two_layer._performance import in_whole_points, round_half_away
from ranking.systems.two_layer.params import IMPACT_WEIGHTS
from ranking.systems.two_layer.system import TwoLayerSkill
from tests.support.examples import examples
from tests.support.strategies import two_layer_skills

SYSTEM = get_system("two-layer")
CERTAIN = TwoLayerSkill(25.0, 2.0, 2500)
STATS = st.dictionaries(st.sampled_from([*IMPACT_WEIGHTS, "plays"]), st.integers(0, 40), max_size=7)


@st.composite
def matches_with_stats(draw):
    """Matches by rounds, with leavers, parties and stats."""
    rounds = draw(st.one_of(st.none(), st.integers(0, 24)))

    def entrant(name):
        return Entrant(
            name,
            draw(two_layer_skills()),
            left_early=draw(st.integers(0, 4)) == 0,
            rounds_played=draw(st.one_of(st.none(), st.integers(0, 24))),
            stats=draw(STATS),
            party=draw(st.sampled_from([None, "x", "y"])),
        )

    teams = tuple(
        Team(tuple(entrant(f"{team}-{i}") for i in range(draw(st.integers(1, 5)))), draw(st.integers(1, 2)))
        for team in range(2)
    )
    return Result(teams, rounds=rounds)


def duel(place, other_place, own=CERTAIN, other=CERTAIN, system=SYSTEM, **fields):
    """The change of the MMR of the first of two."""
    teams = (Team((Entrant("a", own, **fields),), place), Team((Entrant("b", other),), other_place))
    return system.rate(Result(teams, rounds=10))[0][0].mmr - own.mmr


def moves(result, system=SYSTEM):
    return system._moves(result, *system._enter(result))


@examples(300)
@given(matches_with_stats(), st.booleans())
def test_what_every_match_keeps(result, amplify_losses):
    rules = {"staying_is_better": False, "counts_shares": False}
    system = get_system("two-layer", {"amplify_losses": amplify_losses, **rules})
    for team, rated, move in zip(result.teams, system.rate(result), moves(result, system), strict=True):
        g, f, r = [stake.change for stake in move.stakes], move.changes, move.points
        assert sum(r) == round_half_away(math.fsum(g))
        for player, after, before, moved, points in zip(team.players, rated, g, f, r, strict=True):
            assert abs(points - moved) < 1 + 1e-9
            assert -80 <= points <= 150
            assert abs(moved - before) <= 0.12 * abs(before) + 1e-9
            assert 2.0 <= after.sigma <= 25 / 3
            assert after.mmr == max(0, player.skill.mmr + points)
            if player.left_early:
                assert points <= 0
                assert after.mu <= player.skill.mu
    first, second = (
        {s.expected for p, s in zip(t.players, m.stakes, strict=True) if not p.left_early}
        for t, m in zip(result.teams, moves(result, system), strict=True)
    )
    assert len(first) < 2
    if first and second:
        assert first.pop() + second.pop() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("relief", "lost", "drew", "left"), [(0.0, -45, -20, -45), (0.5, -23, -10, -23), (1.0, 0, 0, 0)]
)
def test_a_clear_favourite_is_let_off_a_part_of_its_loss(relief, lost, drew, left):
    system, favourite = get_system("two-layer", {"favourite_relief": relief}), TwoLayerSkill(60.0, 2.0, 2500)
    assert duel(2, 1, own=favourite, system=system) == lost
    assert duel(1, 1, own=favourite, system=system) == drew
    assert duel(1, 2, own=favourite, system=system, left_early=True) == left
    assert duel(2, 1, own=favourite._replace(mu=25.0), system=system) == -25  # an even match


def test_the_same_on_a_long_run():
    chance = random.Random("rungs two-layer")
    for _ in range(3_000):
        result = Result(
            tuple(
                Team(
                    tuple(
                        Entrant(
                            f"{team}{i}",
                            TwoLayerSkill(chance.gauss(25, 7), chance.uniform(2, 25 / 3), chance.randint(0, 5500)),
                            left_early=chance.random() < 0.1,
                            rounds_played=chance.randint(0, 12),
                            stats={"kills": chance.randint(0, 30), "deaths": chance.randint(0, 30)},
                        )
                        for i in range(5)
                    ),
                    chance.randint(1, 2),
                )
                for team in range(2)
            ),
            rounds=12,
        )
        for team, move in zip(result.teams, moves(result), strict=True):
            g = [stake.change for stake in move.stakes]
            assert sum(move.points) == round_half_away(math.fsum(g))
            assert all(abs(r - f) < 1 for r, f in zip(move.points, move.changes, strict=True))
            assert all(abs(f - b) <= 0.12 * abs(b) + 1e-9 for f, b in zip(move.changes, g, strict=True))
            assert not any(p.left_early and r > 0 for p, r in zip(team.players, move.points, strict=True))


@pytest.mark.parametrize(
    ("own", "other", "places", "change"),
    [
        ((25.0, 2.0, 2500), (25.0, 2.0, 2500), (1, 2), 25),  # k 50, even
        ((25.0, 25 / 3, 2500), (25.0, 2.0, 2500), (1, 2), 80),  # k 160
        ((25.0, 25 / 3, 2500), (25.0, 2.0, 2500), (2, 1), -80),
        ((25.0, 2.0, 2500), (25.0, 2.0, 2500), (1, 1), 0),
        ((0.0, 2.0, 2500), (99.0, 2.0, 2500), (1, 2), 135),  # 50·0.9·3
        ((0.0, 25 / 3, 2500), (99.0, 2.0, 2500), (1, 2), 150),  # capped
        ((99.0, 25 / 3, 2500), (0.0, 2.0, 2500), (2, 1), -80),  # capped
        ((99.0, 2.0, 2500), (0.0, 2.0, 2500), (1, 2), 5),
        ((25.0, 2.0, 4600), (25.0, 2.0, 2500), (1, 2), 23),  # 25·0.9, half away
        ((25.0, 2.0, 9000), (25.0, 2.0, 2500), (1, 2), 20),
        ((25.0, 2.0, 9000), (25.0, 2.0, 2500), (2, 1), -26),  # 25·1.05
        ((25.0, 2.0, 10), (25.0, 2.0, 2500), (2, 1), -10),  # not below 0
    ],
)
def test_stakes(own, other, places, change):
    assert duel(*places, TwoLayerSkill(*own), TwoLayerSkill(*other)) == change


def test_amplified_losses_of_favourites():
    favourite, underdog = TwoLayerSkill(99.0, 2.0, 2500), TwoLayerSkill(0.0, 2.0, 2500)
    mild = get_system("two-layer", {"amplify_losses": True, "cap_loss": 1000.0})
    assert duel(2, 1, favourite, underdog) == -45
    assert duel(2, 1, favourite, underdog, system=mild) == -135
    assert duel(2, 1, underdog, favourite, system=mild) == -5


@pytest.mark.parametrize("places", [(1, 2), (2, 1), (1, 1)])
def test_who_left_has_lost(places):
    assert duel(*places, left_early=True, rounds_played=9) == -25


def test_leaving_makes_a_skill_less_certain():
    skill = TwoLayerSkill(25.0, 5.0, 2500)

    def sigma(**fields):
        teams = (Team((Entrant("a", skill, **fields),), 2), Team((Entrant("b", CERTAIN),), 1))
        return SYSTEM.rate(Result(teams, rounds=10))[0][0].sigma

    assert sigma(left_early=True, rounds_played=10) == sigma()
    assert sigma(left_early=True, rounds_played=5) > sigma(left_early=True, rounds_played=8) > sigma()


def test_those_who_stayed_are_not_punished_for_a_leaver():
    def team(name, place, **left):
        return Team(tuple(Entrant(f"{name}{i}", CERTAIN, **(left if i == 0 else {})) for i in range(5)), place)

    whole = SYSTEM.rate(Result((team("a", 2), team("b", 1)), rounds=10))
    short = SYSTEM.rate(Result((team("a", 2, left_early=True, rounds_played=1), team("b", 1)), rounds=10))
    assert short[0][1].mmr > whole[0][1].mmr


PLAYERS = [{"kills": kills} for kills in (2, 5, 6, 8, 20)]


def changes_by(stats, places=(1, 2), **fields):
    players = tuple(Entrant(f"a{i}", CERTAIN, stats=own, **(fields if i == 0 else {})) for i, own in enumerate(stats))
    others = tuple(Entrant(f"b{i}", CERTAIN) for i in range(len(stats)))
    move = moves(Result((Team(players, places[0]), Team(others, places[1])), rounds=1))[0]
    return [moved - stake.change for moved, stake in zip(move.changes, move.stakes, strict=True)]


def test_stats_move_points_between_team_mates():
    worst, _, middle, _, best = changed = changes_by(PLAYERS)
    assert changed == sorted(changed)
    assert (worst, middle) == (-best, 0) or worst < 0 < best
    assert math.fsum(changed) == pytest.approx(0, abs=1e-12)
    assert changes_by(PLAYERS, (2, 1)) == pytest.approx(changed)  # losers too: who played well loses less


@pytest.mark.parametrize(
    ("stats", "fields"),
    [
        (PLAYERS[:1], {}),  # alone
        ([PLAYERS[0], {}], {}),  # only one has stats
        ([{"kills": 3}] * 3, {}),  # all alike
        (PLAYERS[:2], {"left_early": True}),  # who left isn't compared
    ],
)
def test_when_stats_do_not_count(stats, fields):
    assert changes_by(stats, **fields) == [0] * len(stats)


def test_a_draw_is_not_moved_by_stats():
    assert changes_by(PLAYERS, (1, 1)) == [0] * 5


def test_impact_weights_can_be_a_modes_own():
    system = get_system("two-layer", {"impact_weights": {"kills": 0}})
    assert dict(system.impact_weights) == {**IMPACT_WEIGHTS, "kills": 0.0}
    assert str(IMPACT_WEIGHTS).startswith('{"kills": 1.0, ')


def test_stats_too_large_to_add_up_are_refused():
    with pytest.raises(Refused, match="two-layer can't rate player 'a0', whose stats are too large to add up"):
        changes_by([{"kills": 1.7e308, "plants": 1.7e308}, {"kills": 1}])


@pytest.mark.parametrize(
    ("changes", "points"),
    [
        ([10.4, 10.4, 10.4], [11, 10, 10]),  # one more, to the first of equals
        ([10.6, 10.6, 10.6], [10, 11, 11]),
        ([0.5, -0.5], [1, -1]),
        ([2.3, 1.4, 1.4], [2, 2, 1]),
        ([-7.2], [-7]),
        ([10.4999999999], [11]),  # to nine decimals first
    ],
)
def test_whole_points_add_up(changes, points):
    assert in_whole_points(changes, math.fsum(changes)) == points


def test_a_party_bonus_counts_for_those_who_play_together():
    system = get_system("two-layer", {"party_bonus": 3.0})

    def chance(*parties):
        first = [Entrant(f"a{i}", CERTAIN, party=party) for i, party in enumerate(parties)]
        return system.win_probability([first, [Entrant(f"b{i}", CERTAIN) for i in range(len(parties))]])[0]

    assert chance("x", "y") == chance(None, None) == chance("x", None) == 0.5
    assert chance("x", "x") > 0.5


def test_win_probability_of_more_than_two_teams_is_unknown():
    assert SYSTEM.win_probability([[Entrant(name, CERTAIN)] for name in "abc"]) == (None,) * 3


@given(matches_with_stats())
def test_the_factors_give_the_change(result):
    for why, move in zip(SYSTEM.explain_reported(result), moves(result), strict=True):
        for factors, points in zip(why, move.points, strict=True):
            stake, score, expected, *rest = factors
            change = stake.value * (score.value - expected.value)
            change *= math.prod(f.value for f in rest if f.kind == "times")
            change += math.fsum(f.value for f in rest if f.kind == "amount")
            assert change == pytest.approx(points, abs=1e-9)
            assert all(f.note.endswith(".") for f in factors)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"mu": 25.0, "sigma": 5.0, "mmr": 2500.0}, "two-layer skill: mmr must be a whole number, not 2500.0."),
        ({"mu": 25.0, "sigma": 5.0, "mmr": -1}, "two-layer skill: mmr must be at least 0, not -1."),
        ({"mu": 25.0, "sigma": 0.0, "mmr": 1}, "two-layer skill: sigma must be greater than 0, not 0.0."),
        ({"mu": 25.0, "sigma": 5.0}, "two-layer skill: mmr must be a whole number, not None."),
        (
            {"mu": 25.0, "sigma": 5.0, "mmr": 1, "rating": 2},
            "two-layer skill has an unknown field 'rating'; known are mu, sigma, mmr.",
        ),
    ],
)
def test_bad_skills_are_refused(fields, sentence):
    with pytest.raises(Refused) as refused:
        SYSTEM.read_skill(fields)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (
            {"impact_weights": {"kill": 1}},
            "two-layer: parameter impact_weights has an unknown field 'kill'; known are kills, assists, plants, defuses, gadget_destroys, revives, deaths.",
        ),
        ({"impact_weights": {"kills": "1"}}, "two-layer: parameter impact_weights.kills must be a number, not '1'."),
        ({"impact_weights": 3}, "two-layer: parameter impact_weights must be an object, not 3."),
        ({"elite_from": 6000}, "two-layer: parameter elite_from must be less than elite_to, not 6000 to 5000."),
        ({"mmr": 2500.5}, "two-layer: parameter mmr must be a whole number, not 2500.5."),
        ({"expected_min": 0.5}, "two-layer: parameter expected_min must be at most 0.49, not 0.5."),
    ],
)
def test_senseless_parameters_are_refused(params, sentence):
    with pytest.raises(Refused) as refused:
        get_system("two-layer", params)
    assert str(refused.value) == sentence


def test_a_state_holds_the_mmr_in_hundredths():
    assert SYSTEM.to_state(CERTAIN) == State(250_000, mu=25.0, sigma=2.0)
    with pytest.raises(Refused, match="two-layer needs a state with mu and sigma"):
        SYSTEM.from_state(State(250_000))


def test_a_skill_that_is_no_number_is_never_rated():
    with pytest.raises(Refused, match="two-layer can't rate player 'a'"):
        duel(1, 2, CERTAIN._replace(mu=math.nan))


@pytest.mark.parametrize("noise", [0.0, 3e-14, -3e-14])
def test_ties_of_whole_points_go_by_roster_whatever_the_last_digits_are(noise):
    changes = [-68.69878988560849, 3.59098226013 + noise, -76.40901773987, 3.59098226013]
    assert in_whole_points(changes, sum(changes)) == [-69, 3, -76, 4]
