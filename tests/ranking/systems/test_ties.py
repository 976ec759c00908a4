"""Three or more sides that share a place, in TrueSkill and Weng–Lin; and wins that never cost."""

import json
import time
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.calculation import rate_line
from ranking.systems.registry import get_system
from ranking.systems.shared.explanations import explanation_of
from ranking.systems.shared.mean_and_deviation import GaussianSkill, explain_change, shown
from ranking.systems.trueskill.system import unit_margin
from tests.support.examples import examples
from tests.support.paths import SHARED

KEYS = ("trueskill", "weng-lin")
EVERY = pytest.mark.parametrize("key", KEYS)
NEWCOMER = GaussianSkill(25.0, 25 / 3)
NEAR = 0.02 * NEWCOMER.sigma
SAMPLES = 400_000


def match(places, sides):
    """A result of sides, each of some skills, with these places."""
    return Result(
        tuple(
            Team(tuple(Entrant(f"{number}-{slot}", skill) for slot, skill in enumerate(side)), place)
            for number, (place, side) in enumerate(zip(places, sides, strict=True))
        )
    )


def flat(rated):
    return [number for side in rated for skill in side for number in skill]


def cases(name, wanted):
    """The worked cases of a shared file that are wanted."""
    file = SHARED / "vectors" / name
    if not file.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"the worked cases aren't here: {file}"))]
    lines = map(json.loads, file.read_text().splitlines())
    return [pytest.param(case, id=case["id"]) for case in lines if case["system"] in KEYS and wanted(case)]


def is_about_a_tie(case):
    """Do sides share a place, and did all play to the end?"""
    places = [team.get("place") for team in case["teams"]]
    whole = all("seconds" not in player for team in case["teams"] for player in team["players"])
    return len(set(places)) < len(places) and whole


def rated(case, expected):
    """What the calculator makes of a case, and what is expected of it: the numbers of all players in order."""
    answer = rate_line({name: case[name] for name in ("system", "params", "teams", "duration") if name in case})
    skills = [player["skill"] for team in answer["teams"] for player in team["players"]]
    return ([skill[name] for skill in skills] for name in ("mu", "sigma")), (
        [skill[name] for skill in expected] for name in ("mu", "sigma")
    )


@pytest.mark.parametrize("case", cases("ties-sampled.jsonl", lambda _: True))
def test_sampled_case(case):
    (means, deviations), (true_means, true_deviations) = rated(case, case["expected_near"])
    assert means == pytest.approx(true_means, abs=NEAR)
    assert deviations == pytest.approx(true_deviations, abs=NEAR)


@pytest.mark.parametrize("case", cases("ratings-played.jsonl", is_about_a_tie))
def test_worked_case(case):
    expected = [player["skill"] for team in case["expected"]["teams"] for player in team["players"]]
    (means, deviations), (own_means, own_deviations) = rated(case, expected)
    assert means == pytest.approx(own_means, rel=case["tolerance"])
    assert deviations == pytest.approx(own_deviations, rel=case["tolerance"])


@pytest.mark.parametrize("case", cases("ratings-played.jsonl", lambda case: case["id"] == "ts-last-of-five"))
def test_all_but_the_last_one_there_left_and_share_the_last_place(case):
    """Worked by another formula for ties of many."""
    expected = [player["skill"] for team in case["expected"]["teams"] for player in team["players"]]
    numbers, others = rated(case, expected)
    for own, other in zip(numbers, others, strict=True):
        assert own == pytest.approx(other, abs=NEAR)


SKILLS = st.builds(GaussianSkill, st.floats(0, 50), st.floats(0.5, 9))


@st.composite
def tied_matches(draw, most=9):
    """Places, of which one stands three times or more, and the sides, some of them equal."""
    count = draw(st.integers(3, most))
    place = draw(st.integers(1, 4))
    others = draw(st.lists(st.integers(1, 4), min_size=count - 3, max_size=count - 3))
    places = draw(st.permutations([place, place, place, *others]))
    kinds = draw(st.lists(st.lists(SKILLS, min_size=1, max_size=3), min_size=1, max_size=count))
    return places, [draw(st.sampled_from(kinds)) for _ in range(count)]


@EVERY
@examples(100)
@given(data=st.data())
def test_the_order_of_the_report_means_nothing_and_equals_end_equal(key, data):
    places, sides = data.draw(tied_matches())
    system, order = get_system(key), data.draw(st.permutations(range(len(places))))
    listed = system.rate(match(places, sides))
    otherwise = system.rate(match([places[i] for i in order], [sides[i] for i in order]))
    assert flat(otherwise) == pytest.approx(flat([listed[i] for i in order]), abs=1e-9)
    for i, side in enumerate(sides):
        equal = [j for j in range(len(places)) if sides[j] == side and places[j] == places[i]]
        assert flat([listed[j] for j in equal]) == pytest.approx(flat([listed[i]]) * len(equal), abs=1e-9)


@EVERY
@examples(100)
@given(data=st.data())
def test_a_better_place_is_never_below_a_worse_one_of_an_equal_side(key, data):
    places, sides = data.draw(tied_matches())
    after = get_system(key).rate(match(places, sides))
    for i, j in [(i, j) for i in range(len(places)) for j in range(len(places)) if places[i] < places[j]]:
        if sides[i] == sides[j]:
            assert all(better.mu > worse.mu for better, worse in zip(after[i], after[j], strict=True))


@EVERY
@pytest.mark.parametrize(
    "places",
    [
        pytest.param([*range(1, 60), *[60] * 41], id="41 last of 100"),
        pytest.param([*range(1, 20), *[20] * 81], id="81 last of 100"),
        pytest.param([1, 2, *[3] * 14], id="14 third of 16"),
        pytest.param([1, 1, 1, 4, 5], id="three first"),
        pytest.param([*[1] * 20, *range(21, 41)], id="20 first of 40"),
        pytest.param([*range(1, 11), *[11] * 20, *range(31, 41)], id="20 in the middle of 40"),
        pytest.param([1 + 3 * (i // 3) for i in range(30)], id="all in threes"),
    ],
)
def test_newcomers_are_shown_in_the_order_of_their_places(key, places):
    system = get_system(key)
    after = [shown(skill) for (skill,) in system.rate(match(places, [[system.newcomer()]] * len(places)))]
    for (place, value), (next_place, next_value) in pairwise(zip(places, after, strict=True)):
        assert value == pytest.approx(next_value, abs=1e-9) if place == next_place else value > next_value


@EVERY
@examples(60)
@given(data=st.data())
def test_without_such_ties_every_digit_stays(key, data):
    count = data.draw(st.integers(2, 6))
    places = data.draw(st.permutations([1, 1, 2, 2, 3, 3, 4, 4]))[:count]  # none of which stands three times
    sides = data.draw(st.lists(st.lists(SKILLS, min_size=1, max_size=3), min_size=count, max_size=count))
    result = match(places, sides)
    assert get_system(key).rate(result) == get_system(key, {"ties": "chain"}).rate(result)


@EVERY
def test_the_chain_rates_by_the_old_rule(key):
    result = match([1, 1, 1, 4, 5], [[NEWCOMER]] * 5)
    grouped, chained = get_system(key).rate(result), get_system(key, {"ties": "chain"}).rate(result)
    if key == "trueskill":  # which links tied sides in the order of the report
        assert chained[0][0].mu != pytest.approx(chained[1][0].mu, abs=1e-3)
    else:  # which leaves the first three below the fourth
        assert chained[0][0].mu < chained[3][0].mu
    assert grouped[0][0].mu > grouped[3][0].mu > grouped[4][0].mu


def sampled(system, places, sides):
    """The true means and deviations after a match, by sampling performances: pairs within or beyond the margin."""
    rng = np.random.default_rng(1)
    size = np.array([len(side) for side in sides])
    mean = np.array([sum(skill.mu for skill in side) for side in sides])
    spread = system.tau**2 + system.beta**2
    variance = np.array([sum(skill.sigma**2 + spread for skill in side) for side in sides])
    margins = unit_margin(system.draw_probability) * system.beta * np.sqrt(size[:, None] + size)
    played, weight = np.empty((len(sides), SAMPLES)), np.zeros(SAMPLES)
    for place in set(places):
        # The first of a group from about where it must be, the others uniformly where they may be beside it.
        first, *others = (i for i, own in enumerate(places) if own == place)
        near = np.array([variance[first], *[variance[i] + margins[first, i] ** 2 for i in others]])
        center = (mean[[first, *others]] / near).sum() / (1 / near).sum()
        width = 1.3 / sqrt((1 / near).sum())
        played[first] = rng.normal(center, width, SAMPLES)
        weight += ((played[first] - center) / width) ** 2 / 2
        for i in others:
            played[i] = played[first] + rng.uniform(-margins[first, i], margins[first, i], SAMPLES)
        weight -= sum((played[i] - mean[i]) ** 2 / variance[i] for i in (first, *others)) / 2
    kept = np.ones(SAMPLES, bool)
    for i, place in enumerate(places):
        for j, other in enumerate(places):
            lead = played[i] - played[j]
            kept &= (lead > margins[i, j]) if place < other else (abs(lead) <= margins[i, j]) | (place > other)
    played, weight = played[:, kept], np.exp(weight[kept] - weight[kept].max())
    enough = weight.sum() ** 2 / (weight**2).sum() > 10_000
    weight /= weight.sum()
    after = played @ weight
    left = ((played - after[:, None]) ** 2) @ weight
    skills = []
    for i, side in enumerate(sides):
        for mu, sigma in side:
            share = (sigma**2 + system.tau**2) / variance[i]
            square = sigma**2 + system.tau**2 - share**2 * (variance[i] - left[i])
            skills.append(GaussianSkill(mu + share * (after[i] - mean[i]), sqrt(square)))
    return skills, enough


@pytest.mark.parametrize("draw_probability", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("places", [(1, 1, 1), (1, 2, 2, 2), (1, 1, 1, 4), (1, 2, 2, 2, 5), (1, 1, 1, 1, 5)])
def test_the_true_posterior_is_near(places, draw_probability):
    system = get_system("trueskill", {"draw_probability": draw_probability})
    rng = np.random.default_rng([*places])
    for size in (1, 2):
        sides = [[GaussianSkill(rng.normal(25, 3), rng.uniform(2, 8)) for _ in range(size)] for _ in places]
        true, enough = sampled(system, places, sides)
        assert enough
        got = [skill for side in system.rate(match(places, sides)) for skill in side]
        assert np.abs(np.array(got) - np.array(true)).max() < NEAR


@pytest.mark.parametrize("draw_probability", [0.0, 1e-7, 0.1, 0.999])
@pytest.mark.parametrize("sigma", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("gap", [0.0, 1e3, 1e9])
def test_absurd_ties_stay_finite(gap, sigma, draw_probability):
    system = get_system("trueskill", {"draw_probability": draw_probability})
    for places in ((1, 1, 1), (2, 2, 2, 1), (1, 1, 1, 2), (2, 2, 2, 1, 3)):
        sides = [[GaussianSkill((-1) ** number * gap, sigma)] for number in range(len(places))]
        rated = system.rate(match(places, sides))
        assert np.isfinite(flat(rated)).all()
        assert all(skill.sigma > 0 for (skill,) in rated)


def seconds(system, places):
    """Processor time of one rating, the least of three."""
    result, least = match(places, [[system.newcomer()]] * len(places)), 1e9
    for _ in range(3):
        start = time.process_time()
        system.rate(result)
        least = min(least, time.process_time() - start)
    return least


def test_many_who_share_the_last_place_take_little_time():
    system = get_system("trueskill")
    assert seconds(system, [*range(1, 48), *[48] * 13]) < 5 * seconds(system, range(1, 61))
    assert seconds(system, [*range(1, 15), *[15] * 100, *range(115, 129)]) < 2


FAR = st.lists(st.builds(GaussianSkill, st.floats(-20, 120), st.floats(0.1, 9)), min_size=1, max_size=3)


@EVERY
@examples(100)
@given(sides=st.lists(FAR, min_size=2, max_size=5), tau=st.floats(0, 3))
def test_who_comes_first_alone_never_falls_if_wins_never_cost(key, sides, tau):
    system, usual = get_system(key, {"tau": tau, "win_never_costs": True}), get_system(key, {"tau": tau})
    result = match([1, *[2] * (len(sides) - 1)], sides)
    after, before = system.rate(result), usual.rate(result)
    assert after[1:] == before[1:]
    for old, new, without in zip(sides[0], after[0], before[0], strict=True):
        assert system.display(new) >= system.display(old)
        assert new.mu == without.mu
        assert 0 < new.sigma <= without.sigma
        if shown(without) > shown(old) + 1e-9:
            assert new == without
    drawn = match([1, 1, *[2] * (len(sides) - 2)], sides)
    assert system.rate(drawn) == usual.rate(drawn)


@EVERY
def test_a_winner_falls_unless_wins_never_cost(key):
    result = match([1, 2], [[GaussianSkill(40.0, 1.0)], [GaussianSkill(10.0, 8.0)]])
    assert get_system(key).win_never_costs is False
    (winner,), _ = get_system(key, {"tau": 1.0}).rate(result)
    assert shown(winner) < 37 - 0.005
    (winner,), _ = get_system(key, {"tau": 1.0, "win_never_costs": True}).rate(result)
    assert shown(winner) == pytest.approx(37, abs=1e-9)


@EVERY
@examples(200)
@given(mu=st.floats(30, 60), sigma=st.floats(0.3, 3), tau=st.floats(0.01, 0.3))
def test_a_winner_who_falls_reads_by_how_much_certainty_took(key, mu, sigma, tau):
    system = get_system(key, {"tau": tau})
    result = match([1, 2], [[GaussianSkill(mu, sigma)], [GaussianSkill(10.0, 2.0)]])
    after = system.rate(result)[0][0]
    fall = system.display(after) - system.display(GaussianSkill(mu, sigma))
    skill, certainty = explanation_of(system.explain(result)[0][0], 2).reasons[1:]
    if fall < 0:
        assert certainty.value.startswith("−")
        assert "may change between matches" in certainty.note
        read = [float(reason.value.replace("−", "-").removeprefix("±")) for reason in (skill, certainty)]
        assert sum(read) == pytest.approx(float(fall), abs=1e-9)


def test_a_fall_of_a_hundredth_is_not_read_as_nothing():
    """37.3451 falls to 37.3449: skill rises and certainty falls by less than half a hundredth."""
    before, after = GaussianSkill(40.3451, 1.0), GaussianSkill(40.3452, 1.0001)
    reasons = explanation_of(explain_change(Entrant("a", before), after, None), 2).reasons
    assert [(reason.name, reason.value) for reason in reasons] == [("Skill", "±0.00"), ("Certainty", "−0.01")]
