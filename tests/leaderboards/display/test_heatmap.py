import datetime as dt
from itertools import pairwise

import pytest

from leaderboards.display.heatmap import LEFT, STEP, TOP, WEEKS, first_day, heatmap

WEDNESDAY = dt.date(2026, 5, 20)


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (WEDNESDAY, dt.date(2025, 11, 24)),
        (dt.date(2026, 5, 18), dt.date(2025, 11, 24)),
        (dt.date(2026, 5, 24), dt.date(2025, 11, 24)),
        (dt.date(2026, 5, 25), dt.date(2025, 12, 1)),
    ],
)
def test_it_begins_on_a_monday_26_weeks_of_which_this_is_one(today: dt.date, first: dt.date) -> None:
    assert (first_day(today), first.weekday()) == (first, 0)


def test_each_day_has_a_square_and_none_is_of_the_future() -> None:
    drawn = heatmap({WEDNESDAY: 2, dt.date(2026, 5, 21): 9, dt.date(2025, 11, 23): 9}, WEDNESDAY)
    assert (drawn.days, drawn.total, drawn.idle.count("z") + len(drawn.cells)) == (25 * 7 + 3, 2, 178)
    [cell] = drawn.cells
    assert cell.path.startswith(f"M{LEFT + (WEEKS - 1) * STEP} {TOP + 2 * STEP}h")
    assert drawn.busiest == cell


@pytest.mark.parametrize(("count", "level"), [(1, 1), (2, 1), (3, 2), (5, 3), (6, 3), (7, 4), (8, 4)])
def test_levels_are_relative_to_the_busiest_day(count: int, level: int) -> None:
    drawn = heatmap({WEDNESDAY: 8, dt.date(2026, 5, 19): count}, WEDNESDAY)
    assert [cell.level for cell in drawn.cells] == [level, 4]


def test_nothing_done() -> None:
    drawn = heatmap({}, WEDNESDAY)
    assert (drawn.cells, drawn.total, drawn.busiest, drawn.longest_run) == ((), 0, None, 0)


@pytest.mark.parametrize(("days", "run"), [([1], 1), ([1, 3], 1), ([1, 2, 4, 5, 6, 9], 3), ([9, 10, 11, 12], 4)])
def test_the_longest_run_of_days(days: list[int], run: int) -> None:
    assert heatmap({dt.date(2026, 5, day): 1 for day in days}, WEDNESDAY).longest_run == run


@pytest.mark.parametrize("offset", range(0, 366, 5))
def test_names_of_months_never_touch(offset: int) -> None:
    labels = heatmap({}, WEDNESDAY + dt.timedelta(days=offset)).labels
    xs = [label.x for label in labels if label.y == 10]
    assert min(right - left for left, right in pairwise(xs)) >= 3 * STEP
