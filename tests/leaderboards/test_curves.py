import re

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.curves import HEIGHT, SPARK_HEIGHT, WIDTH, chart, sparkline, widest

values = st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=30)


@given(st.lists(values, min_size=1, max_size=5))
def test_sparklines_of_a_table_stay_within_their_height_on_one_scale(series: list[list[int]]) -> None:
    span = widest(series)
    for line in series:
        ys = [float(y) for y in re.findall(r" (-?[\d.]+)", sparkline(line, span))]
        assert len(ys) == len(line)
        assert min(ys) >= 0
        assert max(ys) <= SPARK_HEIGHT


def test_a_sparkline_needs_two_points() -> None:
    assert sparkline([5], 1) == ""


@given(values, st.booleans(), st.sampled_from([1, 100]))
def test_a_chart_holds_its_points_between_round_levels(given_values: list[int], downwards: bool, unit: int) -> None:
    made = chart(given_values, ["t"] * len(given_values), ["win"] * len(given_values), unit=unit, downwards=downwards)
    assert made is not None
    low, high = min(made.levels), max(made.levels)
    assert low <= min(given_values) <= max(given_values) <= high
    assert 3 <= len(made.levels) <= 6
    assert {level % unit for level in made.levels} == {0}
    assert list(made.levels) == sorted(made.levels, reverse=not downwards)
    for value, dot in zip(given_values, made.dots, strict=True):
        share = (value - low) / (high - low)
        assert abs(dot.y - HEIGHT * (share if downwards else 1 - share)) <= 0.051
        assert 0 <= dot.x <= WIDTH


def test_a_chart_needs_two_points() -> None:
    assert chart([5], ["t"], ["win"]) is None
