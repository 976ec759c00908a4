# ruff: noqa: E501 - one case a line, whole sentences
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Refused, Result, Team
from ranking.systems.calculation import rate_line
from ranking.systems.registry import get_system
from ranking.systems.team_ratio.system import TeamRatioSkill
from ranking.systems.team_ratio.wagers import exact
from tests.support.strategies import matches, team_ratio_ranks

SYSTEM = get_system("team-ratio")
MATCHES = matches(st.builds(TeamRatioSkill, team_ratio_ranks()))


def player(text, name):
    """ "21.84", or "24.05 left 609"."""
    rank, *left = text.split(" left ")
    seconds = float(left[0]) if left else None
    return Entrant(name, SYSTEM.read_skill({"rating": rank}), seconds=seconds, left_early=bool(left))


def rate(first, second, *, places=(1, 2), duration=None):
    """New ranks as text, of teams such as ["21.84", "24.05 left 609"]."""
    teams = tuple(
        Team(tuple(player(text, f"{place} {i} {id(texts)}") for i, text in enumerate(texts)), place=place)
        for texts, place in zip((first, second), places, strict=True)
    )
    rated = SYSTEM.rate(Result(teams, duration=duration))
    return [[SYSTEM.write_skill(skill)["rating"] for skill in skills] for skills in rated]


def test_the_worked_example_of_the_source():
    """The source prints 23.10 for the player of 21.84; its own formula gives 23.00.

    It takes 1.10 for the opposition, but its averages, 21.20 and 20.81, give 21.20/20.81 = 1.02. With the
    wager of 1.092, means as they are, and the leaver's 4806/4614, the rank is 22.9988: 23.00.
    """
    own = ["21.84", "19.71", "19.94", "20.87", "18.43", "24.05 left 609"]
    theirs = ["22.87", "17.04", "23.39", "19.94", "21.55", "22.41"]
    assert rate(own, theirs, duration=801)[0][0] == "23.00"


@pytest.mark.parametrize(
    ("first", "second", "options", "after"),
    [
        (["10.30"], ["10.30"], {}, [["10.82"], ["9.79"]]),  # 9.785 is rounded half up
        (["1.02"], ["1.00"], {}, [["1.07"], ["1.00"]]),  # floor
        (["2.00"], ["2.00"], {"places": (1, 1)}, [["2.00"], ["2.00"]]),  # draw of equals
        (["2.00"], ["4.00"], {"places": (1, 1)}, [["2.20"], ["4.00"]]),  # the lower team as if it had won
        (["2.00", "6.00"], ["4.00"], {"places": (1, 1)}, [["2.00", "6.00"], ["4.00"]]),  # equal means
        (["5.00"], ["5.00 left 0"], {"duration": 600}, [["5.25"], ["4.75"]]),  # no time at all: factor 1
        (
            ["7.00", "9.00 left 200"],
            ["5.00 left 300"],
            {"places": (2, 1), "duration": 600},
            [["7.35", "7.08"], ["4.75"]],
        ),
        (
            ["7.00", "9.00 left 200"],
            ["5.00 left 300"],
            {"places": (1, 1), "duration": 600},
            [["7.35", "7.08"], ["4.75"]],
        ),
        (
            ["4.00 left 20"],
            ["4.00 left 20"],
            {"duration": 100},
            [["3.80"], ["3.80"]],
        ),  # everyone left: all lost
        (["4.00 left 10"], ["4.00 left 20"], {"duration": 100}, [["3.80"], ["4.20"]]),  # the other was free to leave
        (["4.00 left 50.5"], ["4.00"], {"duration": 100}, [["3.80"], ["4.20"]]),  # never less than the wager
    ],
)
def test_cases(first, second, options, after):
    assert rate(first, second, **options) == after


def test_the_largest_rank_is_exact_to_the_cent():
    """And it may still be won with: the source names no highest rank."""
    assert rate(["9999999999.99"], ["9999999999.99"]) == [["10499999999.99"], ["9499999999.99"]]
    assert rate(["9999999999.99"], ["9999999999.99"], places=(1, 1)) == [["9999999999.99"]] * 2
    skill = SYSTEM.read_skill({"rating": "9999999999.99"})
    assert str(SYSTEM.display(SYSTEM.from_state(SYSTEM.to_state(skill)))) == "9999999999.99"


def test_ranks_stop_at_what_the_database_holds():
    assert rate(["92233720368547758.07"], ["1.00"])[0] == ["92233720368547758.07"]
    assert rate(["1.00"], ["92233720368547758.07"]) == [["4611686018427388.90"], ["1.00"]]


def reference(result):
    """The definition with fractions, rule by rule; ranks in hundredths, rounded half up."""
    given_seconds = [p.seconds for t in result.teams for p in t.players if p.seconds is not None]
    duration = result.duration if result.duration is not None else max(given_seconds, default=1)

    def seconds(p):
        return Fraction(repr(duration if p.seconds is None else min(p.seconds, duration)))

    after = []
    for own, other in (result.teams, result.teams[::-1]):
        ya, oa = (Fraction(sum(p.skill.hundredths for p in t.players), len(t.players)) for t in (own, other))
        yt, ot = (sum(map(seconds, t.players)) for t in (own, other))
        if yt == 0 or ot == 0:
            yt = ot = Fraction(1)
        for p in own.players:
            r0 = Fraction(p.skill.hundredths)
            won = r0 + r0 / 20 * (oa / ya) * (ot / yt)
            loss = r0 / 20 * (ya / oa) * (yt / ot)
            if p.left_early:
                r1 = r0 - max(r0 / 20, loss)
            elif all(q.left_early for q in other.players):
                r1 = r0 + r0 / 20
            elif own.place == other.place:
                r1 = won if ya < oa else r0
            else:
                r1 = won if own.place < other.place else r0 - loss
            after.append(math.floor(max(r1, Fraction(100)) + Fraction(1, 2)))
    return after


def with_stayers(result):
    """The definition of "staying is always better": each leaver's rank is at most what staying and coming last gives."""
    ranks, players = reference(result), [(t, p) for t in result.teams for p in t.players]
    given_seconds = [p.seconds for _, p in players if p.seconds is not None]
    duration = result.duration if result.duration is not None else max(given_seconds, default=None)
    for number, (own, leaver) in enumerate(players):
        if leaver.left_early:
            stayer = replace(leaver, left_early=False, seconds=None)
            teams = tuple(
                Team(tuple(stayer if p is leaver else p for p in t.players), 2 if t is own else 1) for t in result.teams
            )
            ranks[number] = min(ranks[number], reference(Result(teams, duration))[number])
    return ranks


def flat(rated):
    return [skill.hundredths for skills in rated for skill in skills]


@given(MATCHES)
def test_it_equals_the_definition_in_fractions(result):
    everybody = get_system("team-ratio", {"counts_shares": False})
    assert flat(everybody.rate(result)) == [min(rank, 2**63 - 1) for rank in with_stayers(result)]


@given(MATCHES)
def test_a_leavers_rank_never_rises(result):
    result = SYSTEM.attended(result)
    for team, skills in zip(result.teams, SYSTEM.rate(result), strict=True):
        for entrant, skill in zip(team.players, skills, strict=True):
            if entrant.left_early:
                assert skill.hundredths <= entrant.skill.hundredths


@given(MATCHES)
def test_the_order_of_teams_and_players_does_not_matter(result):
    def by_id(match):
        rated = SYSTEM.rate(match)
        return {
            p.id: s
            for t, skills in zip(match.teams, rated, strict=True)
            for p, s in zip(t.players, skills, strict=True)
        }

    reversed_teams = tuple(Team(t.players[::-1], t.place, t.score) for t in result.teams[::-1])
    assert by_id(Result(reversed_teams, result.duration)) == by_id(result)


@given(MATCHES)
def test_win_probabilities_add_up_to_one_and_swap(result):
    teams = [team.players for team in result.teams]
    p, q = SYSTEM.win_probability(teams)
    assert p + q == pytest.approx(1, abs=1e-12)
    assert SYSTEM.win_probability(teams[::-1]) == (q, p)


def test_win_probability_is_the_share_of_all_ranks():
    teams = [[player("3.00", "a")], [player("1.00", "b"), player("2.00", "c")]]
    assert SYSTEM.win_probability(teams) == (0.5, 0.5)
    assert SYSTEM.win_probability([*teams, teams[0]]) == (None, None, None)


@given(MATCHES)
def test_the_factors_multiply_to_the_change(result):
    rated, explained = SYSTEM.rate(result), SYSTEM.explain(result)
    for team, skills, factors_of_team in zip(result.teams, rated, explained, strict=True):
        for entrant, skill, factors in zip(team.players, skills, factors_of_team, strict=True):
            change = math.prod(f.value for f in factors if f.kind in ("amount", "times"))
            after = max(1, entrant.skill.hundredths / 100 + change)
            if after < 9e16:
                assert skill.hundredths / 100 == pytest.approx(after, rel=1e-9, abs=0.0051)
            assert all(f.note.endswith(".") for f in factors)


def names(first, second, **options):
    teams = tuple(
        Team(tuple(player(text, f"{t}{i}") for i, text in enumerate(texts)), place=place)
        for t, (texts, place) in enumerate(zip((first, second), options.pop("places", (1, 2)), strict=True))
    )
    return SYSTEM.explain(Result(teams, **options))


def test_why_a_win_with_a_leaver_on_the_team():
    wager, opposition, time = names(["20.00", "20.00 left 50"], ["30.00", "30.00"], duration=100)[0][0]
    assert (wager.value, wager.note) == (1.0, "A twentieth of the rating before the match.")
    assert opposition.note == "The other side was rated higher on average: 30.00 to 20.00."
    assert opposition.value == 1.5
    assert time.value == pytest.approx(4 / 3)
    assert time.note == "A player of this side left early, so it had less time in game."


@pytest.mark.parametrize(
    ("first", "second", "options", "first_note", "factors"),
    [
        (["2.00"], ["3.00"], {"places": (1, 1)}, "The lower-rated side gains from a draw as from a win: a twentieth of the rating.", 2),
        (["3.00"], ["2.00"], {"places": (1, 1)}, "A draw changes nothing for the higher-rated side.", 1),
        (["3.00"], ["3.00"], {"places": (1, 1)}, "A draw between sides that were rated the same changes no rating.", 1),
        (["3.00"], ["3.00 left 5"], {"places": (2, 1)}, "Everyone on the other side left, so the win brings a twentieth of the rating.", 1),
        (["3.00 left 5"], ["3.00"], {"duration": 10}, "Leaving early costs at least a twentieth of the rating, whatever the result.", 1),
        (["3.00 left 5"], ["2.00"], {}, "Leaving early costs at least a twentieth of the rating, whatever the result.", 2),
    ],
)  # fmt: skip
def test_why_by_special_rules(first, second, options, first_note, factors):
    why = names(first, second, **options)[0][0]
    assert (why[0].note, len(why)) == (first_note, factors)


HAIR = ["1.34", "1.35", "1.35", "1.35"], ["1.35", "1.35"]  # means of 1.3475 and 1.35, which read the same


def test_averages_that_are_the_same_are_even():
    (factor,) = names(["2.00", "3.00"], ["2.50", "2.50"])[0][0]
    assert factor.note == "A twentieth of the rating before the match. Both sides were even."


@pytest.mark.parametrize(
    ("places", "notes"),
    [
        ((1, 2), ["A twentieth of the rating before the match.", "Both sides were rated 1.35 on average."]),
        ((1, 1), ["The lower-rated side gains from a draw as from a win; the difference was less than 0.01.",
                  "Both sides were rated 1.35 on average."]),
    ],
)  # fmt: skip
def test_averages_that_read_the_same_are_even(places, notes):
    assert [factor.note for factor in names(*HAIR, places=places)[0][0]][:2] == notes


def test_a_draw_of_averages_that_read_the_same():
    (factor,) = names(*HAIR, places=(1, 1))[1][0]
    assert factor.note == "A draw changes nothing for the higher-rated side; the difference was less than 0.01."


@pytest.mark.parametrize(
    ("other", "places", "note"),
    [
        ("3.00", (1, 2), "The opponent was rated higher: 3.00 to 2.00."),
        ("1.00", (1, 2), "The opponent was rated lower: 1.00 to 2.00."),
    ],
)
def test_a_duel_has_an_opponent_and_no_average(other, places, note):
    assert names(["2.00"], [other], places=places)[0][0][1].note == note


@pytest.mark.parametrize(
    ("first", "second", "notes"),
    [
        (["2.00 left 9", "2.00 left 8", "2.00"], ["2.00"] * 3, [
            "2 players of this side left early, so it had less time in game.",
            "2 players of the other side left early, so it had less time in game."]),
        (["2.00 left 9", "2.00"], ["2.00"] * 2, [
            "A player of this side left early, so it had less time in game.",
            "A player of the other side left early, so it had less time in game."]),
    ],
)  # fmt: skip
def test_leavers_are_why_a_side_had_less_time(first, second, notes):
    explained = names(first, second, duration=10, places=(2, 1))
    assert [explained[0][-1][-1].note, explained[1][0][-1].note] == notes


def test_why_survives_times_that_no_float_can_compare():
    hardly = Entrant("a", TeamRatioSkill(5000), seconds=5e-324)
    teams = (Team((hardly,), place=1), Team((Entrant("b", TeamRatioSkill(5000)),), place=2))
    assert SYSTEM.explain(Result(teams, duration=100))[0][0][1].value > 1e308


def test_why_names_the_floor():
    assert [f.name for f in names(["9.00"], ["1.00"])[1][0]] == [
        "Base wager",
        "Opposition",
        "Floor",
    ]


def test_when_somebody_joined_says_nothing_if_the_length_of_the_match_is_unknown():
    def rated(**late):
        first = Entrant("first", TeamRatioSkill(1000), rounds_played=13, **late)
        second = Entrant("second", TeamRatioSkill(1100), rounds_played=11, **late)
        return SYSTEM.rate(Result((Team((first,), place=1), Team((second,), place=2)), rounds=13))

    assert rated(joined_at=95.0) == rated()


def test_seconds_count_as_the_decimals_they_print_as():
    assert exact(801.1) == Fraction(8011, 10)
    assert exact(801.0) == 801


@pytest.mark.parametrize(
    ("rating", "rank"),
    [
        ("21.84", 2184),
        ("1", 100),
        ("1.5", 150),
        (21.84, 2184),
        (21.0, 2100),
        (7, 700),
        (1e10, 10**12),
        (0.1 + 0.9, 100),
    ],
)
def test_ranks_are_read_exactly(rating, rank):
    assert SYSTEM.read_skill({"rating": rating}) == TeamRatioSkill(rank)


@pytest.mark.parametrize(
    "fields",
    [
        {}, {"rating": None}, {"rating": True}, {"rating": "0.99"}, {"rating": 0.99}, {"rating": 0}, {"rating": "-5.00"},
        {"rating": "21.845"}, {"rating": 21.845}, {"rating": "1e3"}, {"rating": " 2.00"}, {"rating": "２.00"},
        {"rating": "2.00\n"}, {"rating": ""}, {"rating": "NaN"}, {"rating": math.nan}, {"rating": math.inf},
        {"rating": "92233720368547758.08"}, {"rating": 1e300}, {"rating": [2]}, {"rating": "2.00", "sigma": 1},
    ],
)  # fmt: skip
def test_other_ranks_are_refused(fields):
    with pytest.raises(Refused, match=r"^team-ratio skill"):
        SYSTEM.read_skill(fields)


def test_a_forfeit_of_a_duel_costs_a_twentieth():
    line = {
        "system": "team-ratio",
        "duration": 1,
        "teams": [
            {
                "place": 2,
                "players": [{"id": "a", "skill": {"rating": "20.00"}, "seconds": 0, "left_early": True}],
            },
            {"place": 1, "players": [{"id": "b", "skill": {"rating": "20.00"}}]},
        ],
    }
    assert rate_line(line)["teams"][0]["players"][0]["display"] == "19.00"
