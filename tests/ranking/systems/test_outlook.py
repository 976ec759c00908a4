"""What a match is worth, and skills carried from one system into another."""

from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.conversion import convert_skill
from ranking.systems.elo.system import EloSkill
from ranking.systems.outlook import outlooks_of, why_drawn
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.examples import examples
from tests.support.strategies import matches_of

ELO = get_system("elo")
BACK_AND_FORTH = ("elo", "battle-points", "glicko-2", "trueskill", "weng-lin")


def match(*places, left=""):
    """Newcomers a, b, c …, one a team."""
    return Result(
        tuple(
            Team((Entrant(name, ELO.newcomer(), left_early=name in left),), place=place)
            for name, place in zip("abcdefgh", places, strict=False)
        )
    )


def shown(result):
    return [
        [str(getattr(seat, name)) for name in ("before", "after", "won", "drew", "lost")]
        for (seat,) in outlooks_of(ELO, result)
    ]


def test_a_duel():
    assert shown(match(1, 2)) == [
        ["25.00", "25.26", "25.26", "25.00", "24.74"],
        ["25.00", "24.74", "25.26", "25.00", "24.74"],
    ]


def test_of_three_the_others_keep_their_order():
    assert shown(match(2, 1, 3)) == [
        ["25.00", "25.00", "25.26", "25.00", "24.74"],
        ["25.00", "25.26", "25.26", "25.00", "24.74"],
        ["25.00", "24.74", "25.26", "25.00", "24.74"],
    ]


@pytest.mark.parametrize(
    ("key", "first", "second", "notes"),
    [
        ("elo", {"rating": 25}, {"rating": 30}, ["A draw counts as half a win."] * 2),
        ("glicko-2", None, None, ["A draw counts as half a win."] * 2),
        ("battle-points", None, None, ["A draw counts as half a win."] * 2),
        ("two-layer", None, None, ["A draw counts as half a win."] * 2),
        ("team-ratio", {"rating": "2.00"}, {"rating": "3.00"}, [
            "The lower-rated side gains from a draw as from a win: a twentieth of the rating.",
            "A draw changes nothing for the higher-rated side."]),
        ("trueskill", {"mu": 25, "sigma": 2}, {"mu": 20, "sigma": 2}, [
            "The result was worse than expected.",
            "The result was better than expected."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("left", [False, True])
def test_how_a_draw_is_rated_by_team(key, first, second, notes, left):
    """In the words of those who stayed, whatever the real result."""
    system = get_system(key)
    skills = [system.newcomer() if skill is None else system.read_skill(skill) for skill in (first, second)]
    more = [Entrant("c", skills[0], left_early=True)] if left and system.max_team_size is None else []
    first_team = Team((*more, Entrant("a", skills[0])), place=2)
    assert [*why_drawn(system, Result((first_team, Team((Entrant("b", skills[1]),), place=1))))] == notes


def test_who_left_gains_in_no_case():
    first = shown(match(1, 2, left="a"))[0]
    assert first == ["25.00", "24.74", "24.74", "24.74", "24.74"]


@pytest.mark.parametrize("key", SYSTEMS)
@examples(25)
@given(st.data())
def test_what_happened_is_what_was_promised(key, data):
    """The winner of a match without leavers or shutouts gets what a win promised; to win is no worse than to lose."""
    system = get_system(key)
    result = data.draw(matches_of(key, most_teams=2, leavers=False))
    places = [team.place for team in result.teams]
    for index, seats in enumerate(outlooks_of(system, result)):
        for seat in seats:
            promised = seat.drew if places[0] == places[1] else seat.won if places[index] == min(places) else seat.lost
            assert seat.after == promised
            assert seat.won >= seat.lost


@pytest.mark.parametrize("key", SYSTEMS)
def test_newcomers_stay_newcomers(key):
    system = get_system(key)
    assert convert_skill(ELO.newcomer(), ELO, system) == system.newcomer()


@pytest.mark.parametrize(("old", "new"), [*permutations(BACK_AND_FORTH, 2)])
def test_who_is_carried_and_back_is_who_they_were(old, new):
    first, second = get_system(old), get_system(new)
    strong = convert_skill(EloSkill(31.0), ELO, first)
    there = convert_skill(strong, first, second)
    again = convert_skill(there, second, first)
    assert float(first.display(again)) == pytest.approx(float(first.display(strong)), rel=0.01, abs=1)
    assert second.display(there) > second.display(second.newcomer()) - Decimal("0.01")


@pytest.mark.parametrize("key", ["battle-points", "elo", "glicko-2"])
@pytest.mark.parametrize("rating", [20.0, 27.0, 33.0])
def test_chances_of_settled_players_are_kept(key, rating):
    def chance(system):
        players = [Entrant(str(r), convert_skill(EloSkill(r), ELO, system)) for r in (rating, 25.5)]
        return system.win_probability([[player] for player in players])[0]

    assert chance(get_system(key)) == pytest.approx(chance(ELO), abs=0.03)


@pytest.mark.parametrize("old", SYSTEMS)
@pytest.mark.parametrize("new", SYSTEMS)
@examples(10)
@given(data=st.data())
def test_whoever_is_carried_can_be_rated(old, new, data):
    first, second = get_system(old), get_system(new)
    drawn = data.draw(matches_of(old, most_teams=2))
    teams = tuple(
        Team((Entrant(str(place), convert_skill(team.players[0].skill, first, second)),), place=place)
        for place, team in enumerate(drawn.teams, 1)
    )
    rated = second.rate(Result(teams))
    assert [len(team) for team in rated] == [1, 1]
    for team in teams:
        skill = team.players[0].skill
        assert second.read_skill(second.write_skill(skill)) == skill
