import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.rules.rank_table import assumed_percentile_from, percentile_from


def percentiles_of(ratings):
    return [percentile_from(sum(o < r for o in ratings), sum(o > r for o in ratings)) for r in ratings]


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([7], [100]),
        ([7, 7, 7], [100, 100, 100]),  # nobody below or above
        ([1, 2], [1, 100]),
        ([1, 2, 3], [1, 51, 100]),
        (list(range(10)), [1, 12, 23, 34, 45, 56, 67, 78, 89, 100]),
        ([1] * 6 + [2] * 6, [1] * 6 + [100] * 6),
    ],
)
def test_cases(ratings, expected):
    assert percentiles_of(ratings) == expected


def test_a_large_population_falls_into_a_hundred_equal_groups():
    given_out = percentiles_of_distinct(100_000)
    assert {given_out.count(p) for p in range(1, 100)} == {1000}
    assert given_out.count(100) == 1000


def percentiles_of_distinct(count):
    return [percentile_from(below, count - 1 - below) for below in range(count)]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_lowest_highest_and_order(ratings):
    given_out = dict(zip(ratings, percentiles_of(ratings), strict=True))
    in_order = [given_out[r] for r in sorted(given_out)]
    assert in_order == sorted(in_order)
    assert in_order[-1] == 100
    assert in_order[0] == (1 if len(in_order) > 1 else 100)


@pytest.mark.parametrize(("below", "above", "expected"), [(0, 0, 50), (0, 1, 1), (1, 0, 100), (1, 1, 51)])
def test_matchmaking_assumes_the_middle_where_nobody_is_below_or_above(below, above, expected):
    assert assumed_percentile_from(below, above) == expected
