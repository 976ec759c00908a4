import re

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.display.curves import HEIGHT, SPARK_HEIGHT, WIDTH, chart, overlay, sparkline, widest

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


curves = st.lists(st.tuples(st.integers(0, 10**9), st.integers(-(10**9), 10**9)), min_size=2, max_size=20).map(sorted)


@given(st.lists(curves, min_size=1, max_size=3))
def test_curves_share_one_stretch_of_time_and_one_scale(series: list[list[tuple[int, int]]]) -> None:
    made = overlay(series)
    times = [when for points in series for when, _ in points]
    assert (made is None) == (min(times) == max(times))
    if made is None:
        return
    for points, line, end in zip(series, made.lines, made.ends, strict=True):
        drawn = [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", line)]
        assert len(drawn) == len(points)
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in drawn)
        assert drawn[-1] == end
    assert (made.first.timestamp(), made.last.timestamp()) == (min(times), max(times))


def test_a_curve_needs_two_points() -> None:
    assert overlay([[(1.0, 5), (2.0, 6)], [(1.0, 5)]]) is None
