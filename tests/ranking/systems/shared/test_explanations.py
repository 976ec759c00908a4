"""Factors as people read them, and the sum that they make."""

import re
from dataclasses import replace

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from ranking.systems.base import Factor
from ranking.systems.registry import SYSTEMS, get_system
from ranking.systems.shared.explanations import equation_of, explanation_of, moved_by, plain_number, signed_number
from ranking.systems.shared.staying import explanations_of
from tests.support.examples import examples
from tests.support.pseudo_locale import outside_messages, pseudo_locale
from tests.support.strategies import matches_of


@pytest.mark.parametrize(
    ("kind", "value", "decimals", "text"),
    [
        ("amount", 1.092, 2, "+1.09"), ("amount", -1.092, 0, "−1.09"), ("amount", 0.0, 2, "±0.00"),
        ("stake", 32.0, 0, "32"), ("stake", 0.517, 2, "0.52"), ("times", 1.0416, 2, "×1.04"),
        ("share", 0.5, 2, "50 %"), ("floor", 1.0, 2, "1.00"), ("floor", 700, 0, "700"),
        ("number", 312.456, 0, "312.46"),
    ],
)  # fmt: skip
def test_a_factor_in_words(kind, value, decimals, text):
    (reason,) = explanation_of([Factor("Name", value, kind, "Why.")], decimals).reasons
    assert (reason.name, reason.value, reason.note, reason.kind, reason.number) == ("Name", text, "Why.", kind, value)


def factors(*pairs):
    return [Factor("Name", value, kind) for kind, value in pairs]


@pytest.mark.parametrize(
    ("given", "total", "equation"),
    [
        ([("amount", 1.092), ("times", 1.0187), ("times", 1.0416)], 1.158697, "1.092 × 1.0187 × 1.0416 = +1.1587"),
        ([("amount", -2.0), ("floor", 1.0)], -2.0, "−2 by the formula, stopped at 1.00"),
        ([("stake", 32), ("share", 1.0), ("share", 0.25), ("times", 1.5)], 36.0, "32 × (1 − 0.25) × 1.5 = +36.0000"),
        ([("stake", 50), ("share", 0), ("share", 0.5), ("amount", -3.5)], -28.5, "50 × (0 − 0.5) − 3.5 = −28.5000"),
        ([("share", 0.5), ("amount", 1.25), ("amount", 0.5)], 1.75, "1.25 + 0.5 = +1.7500"),
        ([("amount", 0.0)], 0.0, "±0"),
        ([("amount", 1.155)], 1.155, "+1.155"),
        ([("amount", -0.05), ("times", 0.75), ("floor", 1.0)], -0.0375,
         "−0.05 × 0.75 = −0.0375 by the formula, stopped at 1.00"),
    ],
)  # fmt: skip
def test_what_factors_come_to(given, total, equation):
    found = factors(*given)
    assert moved_by(found) == pytest.approx(total, abs=1e-5)
    assert equation_of(found) == equation


@pytest.mark.parametrize("key", SYSTEMS)
@examples(60)
@given(st.data())
def test_they_come_to_the_change_of_the_display_rating(key, data):
    """Of every system, but for rounding, and for numbers so large that nothing could keep their cents.

    If a floor stopped the rating, they come to more than the rating had above the floor, and the sum says so.
    """
    system = get_system(key)
    result = data.draw(matches_of(key))
    for team, skills, told in zip(result.teams, system.rate(result), system.explain(result), strict=True):
        for player, after, found in zip(team.players, skills, told, strict=True):
            before = float(system.display(player.skill))
            floors = [f.value for f in found if f.kind == "floor"]
            assert ("stopped at" in equation_of(found, system.decimals)) == bool(floors)
            if floors:
                assert [float(system.display(after))] == floors
                assert before + moved_by(found) < floors[0]
                continue
            moved = float(system.display(after)) - before
            if abs(moved) > 2**62 / 100:  # a rating ends where 64 bits of hundredths do, whatever a match came to
                continue
            assert moved == pytest.approx(moved_by(found), rel=1e-9, abs=1.01 * 10**-system.decimals)


@st.composite
def results(draw, key):
    """A system's matches; of two teams some have scores, and some all statistics."""
    result, score = draw(matches_of(key)), st.integers(0, 20)
    teams, scored, counted = result.teams, len(result.teams) == 2 and draw(st.booleans()), draw(st.booleans())
    if scored:
        scores = draw(st.tuples(score, score))
        places = [1 + sum(other > own for other in scores) for own in scores]
        pairs = zip(teams, scores, places, strict=True)
        teams = tuple(replace(team, score=float(points), place=place) for team, points, place in pairs)
    if counted:
        teams = tuple(
            replace(team, players=tuple(replace(one, stats={"score": float(draw(score))}) for one in team.players))
            for team in teams
        )
    return replace(result, teams=teams)


@pytest.mark.parametrize("key", SYSTEMS)
@examples(60)
@given(st.data())
def test_they_are_messages(key, data):
    system = get_system(key, {"impact_stat": "score"} if key == "margin" else {})
    with pseudo_locale() as code, translation.override(code):
        for team in explanations_of(system, data.draw(results(key))):
            for why in team:
                texts = [why.equation, why.leaving, *(f"{one.name}, {one.value}, {one.note}" for one in why.reasons)]
                assert [text for text in texts if re.search("[a-z]{2}", outside_messages(text)[0])] == []


@pytest.mark.parametrize(
    ("number", "text"),
    [(12, "12"), (12.5, "12.5"), (1200, "1,200"), (-3, "−3"), (0, "0"), (100, "100"), (1.256, "1.26")],
)
def test_plain(number, text):
    assert plain_number(number) == text


def test_plain_keeps_the_zeros_of_whole_numbers():
    assert plain_number(1200, 0) == "1,200"


@pytest.mark.parametrize(("number", "text"), [(1.1588, "+1.16"), (-0.004, "±0.00"), (-1234.5, "−1,234.50")])
def test_signed(number, text):
    assert signed_number(number, 2) == text


def test_the_sum_says_at_which_floor_a_rating_stopped():
    """With as many decimals as the system's ratings have."""
    assert equation_of(factors(("amount", -40.0), ("floor", 1700)), 0) == "−40 by the formula, stopped at 1,700"


def test_numbers_are_those_of_the_readers_language():
    """A share stays on one line with its sign."""
    with translation.override("de"):
        (reason,) = explanation_of([Factor("Name", 0.5, "share")], 2).reasons
        equation = equation_of(factors(("amount", -1234.5), ("floor", 1000)))
    assert reason.value == "50\N{NO-BREAK SPACE}%"
    assert equation == "−1.234,5 nach der Formel, gestoppt bei 1.000,00"
