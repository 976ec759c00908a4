"""Teams one ticket at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaking.matcher._seating import improve, seat
from matchmaking.matcher.tickets import MatchRules
from tests.support.splits import split
from tests.support.tickets import ticket


def test_the_lowest_total_with_room(subtests):
    for sizes, strength, team_size, sides in [
        ([1, 1, 1, 1], [9, 8, 7, 6], 2, [0, 1, 1, 0]),
        ([1, 1, 1, 1], [90, 8, 7, 6], 2, [0, 1, 1, 0]),  # without the cap all three would be on one team
        ([2, 1, 1, 1, 1], [1, 9, 8, 7, 6], 3, [0, 1, 0, 1, 1]),
        ([3, 3, 2], [1, 2, 3], 4, None),
    ]:  # fmt: skip
        with subtests.test(sizes=sizes, strength=strength, team_size=team_size, sides=sides):
            assert seat(sizes, strength, team_size, 2) == sides


@given(st.lists(st.integers(0, 1000), min_size=12, max_size=12), st.sampled_from([2, 3, 4]))
def test_swaps_only_improve(strength, count):
    def gap(sides):
        totals = [sum(x for x, side in zip(strength, sides, strict=True) if side == team) for team in range(count)]
        return max(totals) - min(totals)

    seated = seat([1] * 12, strength, 12 // count, count)
    better = improve(seated, [1] * 12, strength, count)
    assert gap(better) <= gap(seated)
    assert sorted(better) == sorted(seated)


def test_greedy_is_an_option():
    tickets = [ticket(f"t{number}", strength) for number, strength in enumerate((100, 60, 55, 50, 45, 40))]
    assert (split(MatchRules(3, split="greedy"), *tickets)[1], split(MatchRules(3), *tickets)[1]) == (
        pytest.approx(10), pytest.approx(20 / 3))  # fmt: skip


def test_more_splits_than_can_be_tried():
    sides, difference = split(MatchRules(4, 4), *(ticket(f"t{number}", 100 * number) for number in range(16)))
    assert sorted(sides.values()) == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    assert difference <= 25
