import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from leaderboards.display.curves import HEIGHT, SPARK_HEIGHT, SPARK_WIDTH, WIDTH, BandStart, chart, sparkline, widest

values = st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=30)


@given(st.lists(values, min_size=1, max_size=5))
def test_sparklines_of_a_table_stay_within_their_height_on_one_scale(series: list[list[int]]) -> None:
    span = widest(series)
    for line in series:
        path = re.fullmatch(r"M0 (\d+)l(.+)", sparkline(line, span))
        assert path is not None
        steps = [re.fullmatch(r"(\d+)([+-]\d+)", step) for step in path[2].split(" ")]
        assert sum(int(step[1]) for step in steps if step) == SPARK_WIDTH
        ys = list(itertools.accumulate((int(step[2]) for step in steps if step), initial=int(path[1])))
        assert len(ys) == len(line)
        assert min(ys) >= 0
        assert max(ys) <= SPARK_HEIGHT


def test_a_sparkline_needs_two_points() -> None:
    assert sparkline([5], 1) == ""


@given(values, st.booleans(), st.sampled_from([1, 100]))
def test_a_chart_holds_its_points_between_round_levels(given_values: list[int], downwards: bool, unit: int) -> None:
    names = [str(index) for index in range(len(given_values))]
    made = chart([list(enumerate(given_values))], names, unit=unit, downwards=downwards)
    assert made is not None
    low, high = min(made.levels), max(made.levels)
    assert low <= min(given_values) <= max(given_values) <= high
    assert 3 <= len(made.levels) <= 6
    assert {level % unit for level in made.levels} == {0}
    assert list(made.levels) == sorted(made.levels, reverse=not downwards)
    for value, (x, y) in zip(given_values, made.curves[0], strict=True):
        share = (value - low) / (high - low)
        assert abs(y - HEIGHT * (share if downwards else 1 - share)) <= 0.051
        assert 0 <= x <= WIDTH
    assert made.best in made.curves[0]
    assert made.best[1] == min(y for _, y in made.curves[0])


def test_a_chart_needs_two_points() -> None:
    assert chart([[(0, 5)]], ["1 May"]) is None
    assert chart([[(0, 5)]], ["1 May", "2 May"]) is None
    assert chart([[(0, 5), (1, 6)]], ["1 May", "2 May"]) is not None


def test_curves_share_one_scale_and_leave_out_where_they_have_no_point() -> None:
    made = chart([[(0, 10), (2, 30)], [(1, 50)]], ["1", "2", "3"])
    assert made is not None
    assert [[x for x, _ in points] for points in made.curves] == [[0, 1000], [500]]
    assert (min(made.levels), max(made.levels)) == (10, 50)
    assert made.ends == [(1000, 150), (500, 0)]


def test_labels_stand_where_names_change_and_have_room() -> None:
    days = ["1 May"] * 4 + ["2 May"] * 90 + ["3 May"] + ["4 May"] * 6
    made = chart([[(index, index) for index in range(len(days))]], days)
    assert made is not None
    assert [(label.text, label.anchor) for label in made.labels] == [("1 May", "start"), ("3 May", "middle")]


def test_labels_that_begin_at_an_edge_have_room_for_the_whole_of_them() -> None:
    days = ["18 Oct"] * 5 + ["29 Oct"] * 5 + ["8 Nov"] * 17
    made = chart([[(index, index) for index in range(len(days))]], days)
    assert made is not None
    assert [label.text for label in made.labels] == ["18 Oct", "8 Nov"]  # 29 Oct: its middle is at 19 %


def test_bands_cover_what_of_them_is_in_sight() -> None:
    starts = [BandStart("Low", "bronze", -500), BandStart("Middle", "gold", 40), BandStart("High", "master", 900)]
    made = chart([[(0, 0), (1, 100)]], ["a", "b"], bands=starts)
    assert made is not None
    assert [(band.name, band.top, band.height, band.middle) for band in made.bands] == [
        ("Low", 180, 120, 80), ("Middle", 0, 180, 30)]  # fmt: skip
