"""How libraries keep ratings: newcomers stay newcomers, and the others keep their chances."""

from decimal import Decimal

import pytest

from ranking.systems.base import Refused
from ranking.systems.foreign_scales import ForeignRating, choose_scale
from ranking.systems.libraries import GAUSSIAN, GLICKO, LIBRARIES, LOGISTIC
from ranking.systems.registry import SYSTEMS, get_system
from tests.support.library_chances import OWN, chance_here, chance_there

# Newcomer, regular and veteran, by kind.
PLAYERS = {
    GAUSSIAN: [(25, 25 / 3), (28.271094561, 3.118), (37.5, 1.0100000000000002)],
    GLICKO: [(1500, 350, 0.06), (1612.83, 92.47, 0.0601), (1980.25, 48.1, 0.0588)],
    LOGISTIC: [(1200,), (1312.4070000000002,), (1702.9,)],
}
FACTORS = {  # a ladder of this kind on a scale of its own: what newcomers have there, and the map to it
    GAUSSIAN: ("1500,500", lambda mu, sigma: (1500 + 60 * (mu - 25), 60 * sigma)),
    GLICKO: ("1000", lambda rating, *rest: (rating - 500, *rest)),
    LOGISTIC: ("0", lambda rating: (rating - 1200,)),
}


def brought(numbers, system, *, matches=(), **asked):
    """What becomes of players with these numbers."""
    given = [
        ForeignRating(Decimal(repr(float(own[0]))), *own[1:], *[None] * (3 - len(own)), count)
        for own, count in zip(numbers, matches or [0] * len(numbers), strict=True)
    ]
    return choose_scale(**asked).skills(given, system)


def newcomer_of(library):
    return "" if library.newcomer else "1200"


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_newcomer_there_is_a_newcomer_here(key):
    system, wrong = get_system(key), []
    for library in LIBRARIES.values():
        start = (1000,) if library.name == "skillratings-elo" else PLAYERS[library.kind][0]
        above = (
            [(start[0], 1.0005 * start[1], *start[2:]), (start[0], 1.04 * start[1], *start[2:])] if start[1:] else []
        )
        rounded = [(start[0], round(start[1], 2), *start[2:])] if start[1:] else []
        found = brought([start, *above, *rounded], system, library=library.name, newcomer=newcomer_of(library))
        wrong += [(library.name, skill) for skill in found if skill != system.newcomer()]
    assert wrong == []


@pytest.mark.parametrize("kind", OWN)
def test_everybody_keeps_their_chances(kind):
    players = PLAYERS[kind]
    for key in OWN[kind]:
        system = get_system(key)
        library = next(library for library in LIBRARIES.values() if library.kind == kind)
        newcomer, further = FACTORS[kind]
        plain = brought(players, system, library=library.name, newcomer=newcomer_of(library))
        other = brought([further(*player) for player in players], system, library=library.name, newcomer=newcomer)
        assert (plain[0], other[0]) == (system.newcomer(), system.newcomer())
        for first, second in ((0, 1), (1, 2), (2, 0)):
            there = chance_there(kind, players[first], players[second])
            # The normal curve of `elo` is at most 0.0095 from the logistic one.
            exact = 0.0095 if kind == LOGISTIC else 1e-9
            assert chance_here(system, plain[first], plain[second]) == pytest.approx(there, abs=exact)
            assert chance_here(system, other[first], other[second]) == pytest.approx(there, abs=exact)


def test_skills_on_the_same_scale_are_kept_to_the_last_digit():
    for key in ("trueskill", "weng-lin"):
        assert brought(PLAYERS[GAUSSIAN][1:], get_system(key), library="openskill") == PLAYERS[GAUSSIAN][1:]
    assert brought(PLAYERS[GLICKO][1:], get_system("glicko-2"), library="npm-glicko2") == PLAYERS[GLICKO][1:]


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_system_keeps_the_order_of_every_library(key):
    system = get_system(key)
    for library in LIBRARIES.values():
        players = PLAYERS[library.kind]
        _, regular, veteran = brought(players, system, library=library.name, newcomer=newcomer_of(library))
        assert system.display(system.newcomer()) < system.display(regular) < system.display(veteran), library.name


def test_an_elo_of_a_newcomer_after_matches_is_no_newcomers():
    first, second = brought(
        [(1200,), (1200,)], get_system("trueskill"), matches=[0, 40], library="elo", newcomer="1200"
    )
    assert [(player.mu, round(player.sigma, 4)) for player in (first, second)] == [(25, 8.3333), (25, 2.5)]


def test_what_a_file_says_beside_is_refused_and_volatility_comes_along():
    weng_lin, glicko = get_system("weng-lin"), get_system("glicko-2")
    rows = [
        (weng_lin, (25,), {"library": "openskill"}, "openskill keeps mu, sigma, and this line has no sigma."),
        (weng_lin, (25, 0.0), {"library": "trueskill"}, "sigma is above 0, not 0."),
        (
            weng_lin,
            (25, 2.0, 0.06),
            {"library": "trueskill"},
            "trueskill keeps mu, sigma, and no volatility: leave it out.",
        ),
        (
            glicko,
            (1300, 2.0),
            {"library": "elo", "newcomer": "1200"},
            "elo keeps rating, and no deviation: leave it out.",
        ),
        (glicko, (1300,), {"library": "glicko2"}, "glicko2 keeps rating, rd, vol, and this line has no rd."),
        (weng_lin, (25, 2.0, 0.06), {"meaning": "mean"}, "weng-lin keeps no volatility: leave it out."),
        (glicko, (1500, 60.0, 11.0), {}, "glicko-2 skill: volatility"),
    ]
    for asked in ({"library": "openskill"}, {"meaning": "mean"}, {"meaning": "display"}):
        [refused] = brought([(30.0, 2.0)], weng_lin, matches=[10**9 + 1], **asked)
        assert str(refused) == "weng-lin takes 0 to 1,000,000,000 matches, not 1,000,000,001.", asked
    for system, player, asked, sentence in rows:
        [refused] = brought([player], system, **asked)
        assert isinstance(refused, Refused), sentence
        assert str(refused).startswith(sentence)
    assert brought([(1612.4, 92.5, 0.07)], glicko) == [(1612, 92.5, 0.07)]
    assert brought([(1612.4, 92.5, 0.07)], glicko, library="glicko2") == [(1612.4, 92.5, 0.07)]


def test_deviations_ask_for_the_scale_with_both_readings_of_the_first_of_them():
    weng_lin = get_system("weng-lin")
    first, second, third = brought([(30.1,), (25, 8.333333), (30, 2.0)], weng_lin)
    assert (weng_lin.display(first), weng_lin.display(third)) == (Decimal("30.10"), Decimal("30.00"))
    assert str(second) == (
        "weng-lin shows mu − 3·sigma, and the file has deviations, so say what its ratings are. With the scale “mean”"
        " 25.0 is mu, and this player begins at 0.00; with the scale “display” the player begins at 25.00, with the mu"
        " 50.00. Or name the library that kept them."
    )
    with pytest.raises(Refused, match="is for trueskill and weng-lin, not for glicko-2"):
        brought([(1500, 60.0)], get_system("glicko-2"), meaning="mean")
    players = [(25, 8.34), (30.123456, 2.0)]
    assert brought(players, weng_lin, meaning="mean") == [(25, 25 / 3), (30.123456, 2.0)]
    shown = brought(players, weng_lin, meaning="display")
    assert [weng_lin.display(skill) for skill in shown] == [Decimal("25.00"), Decimal("30.12")]
    mapped = brought([(3.0, 2.0)], weng_lin, meaning="mean", linear="linear:10,-1")
    assert mapped == [(29.0, 2.0)]
    assert not any(isinstance(skill, Refused) for skill in brought(players, weng_lin, linear="rank"))


@pytest.mark.parametrize(
    ("asked", "path", "sentence"),
    [
        ({"library": "open"}, "library", "There is no library 'open'; choose one of openskill, npm-openskill,"),
        ({"library": "openskill", "linear": "linear:1,0"}, "library", "A library says what its ratings are:"),
        ({"library": "openskill", "meaning": "mean"}, "library", "A library says what its ratings are:"),
        ({"library": "elo"}, "newcomer", "Newcomers of an Elo ladder begin at 400, 1000, 1200 or 1500:"),
        ({"library": "elo", "newcomer": "x"}, "newcomer", "A newcomer of elo is the rating, such as 1200, not 'x'."),
        ({"library": "glicko2", "newcomer": "1500,350"}, "newcomer", "A newcomer of glicko2 is the rating, such as"),
        ({"library": "trueskill", "newcomer": "1500"}, "newcomer", "A newcomer of trueskill is the rating and the"),
        ({"library": "trueskill", "newcomer": "25,0"}, "newcomer", "A newcomer of trueskill is the rating and the"),
        ({"library": "trueskill", "newcomer": "nan,8"}, "newcomer", "A newcomer of trueskill is the rating and the"),
        ({"newcomer": "1200"}, "newcomer", "What a newcomer has is asked of those who name a library only."),
        ({"meaning": "median"}, "scale", "There is no scale 'median'; choose display or mean."),
        ({"linear": "rank", "meaning": "mean"}, "scale", "If only the order counts, leave the scale out."),
        ({"linear": "cubic:1,2"}, "map", "There is no map 'cubic:1,2'; give linear:A,B, such as"),
        (
            {"linear": "linear:1e100,0"},
            "map",
            "The factor and the offset of a linear map are at most 1,000,000,000,000.",
        ),
        ({"linear": "linear:1,-1e13"}, "map", "The factor and the offset of a linear map are at most"),
        ({"linear": "linear:0,2"}, "map", "A linear map needs a factor above 0 and an offset,"),
    ],
)
def test_what_makes_no_sense_names_its_field(asked, path, sentence):
    with pytest.raises(Refused) as refused:
        choose_scale(**asked)
    assert (refused.value.path, str(refused.value)[: len(sentence)]) == (path, sentence)
