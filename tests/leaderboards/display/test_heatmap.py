import datetime as dt
from itertools import pairwise

import pytest

from leaderboards.display.heatmap import LEFT, STEP, TOP, WEEKS, first_day, heatmap

WEDNESDAY = dt.date(2026, 5, 20)
MONDAY, SATURDAY, SUNDAY = 0, 5, 6


FIRST_DAYS = {
    (WEDNESDAY, MONDAY): dt.date(2025, 11, 24),
    (dt.date(2026, 5, 18), MONDAY): dt.date(2025, 11, 24),
    (dt.date(2026, 5, 24), MONDAY): dt.date(2025, 11, 24),
    (dt.date(2026, 5, 25), MONDAY): dt.date(2025, 12, 1),
    (WEDNESDAY, SATURDAY): dt.date(2025, 11, 22),
    (WEDNESDAY, SUNDAY): dt.date(2025, 11, 23),
    (dt.date(2026, 5, 23), SUNDAY): dt.date(2025, 11, 23),
    (dt.date(2026, 5, 24), SUNDAY): dt.date(2025, 11, 30),
}


def test_it_has_26_weeks_of_which_this_is_one() -> None:
    assert {row: first_day(*row) for row in FIRST_DAYS} == FIRST_DAYS
    assert [first.weekday() for first in FIRST_DAYS.values()] == [week_start for _, week_start in FIRST_DAYS]


@pytest.mark.parametrize(("week_start", "rows"), [(MONDAY, [0, 2, 4]), (SATURDAY, [2, 4, 6]), (SUNDAY, [1, 3, 5])])
def test_names_of_days_stand_beside_their_rows(week_start: int, rows: list[int]) -> None:
    labels = [label for label in heatmap({}, WEDNESDAY, week_start).labels if label.x == 0]
    assert [(label.text, label.y) for label in labels] == [
        (name, TOP + row * STEP + 9) for name, row in zip(("Mon", "Wed", "Fri"), rows, strict=True)
    ]


def test_each_day_has_a_square_and_none_is_of_the_future() -> None:
    drawn = heatmap({WEDNESDAY: 2, dt.date(2026, 5, 21): 9, dt.date(2025, 11, 23): 9}, WEDNESDAY, MONDAY)
    assert (drawn.days, drawn.total, drawn.idle.count("z") + len(drawn.cells)) == (25 * 7 + 3, 2, 178)
    [cell] = drawn.cells
    assert cell.path.startswith(f"M{LEFT + (WEEKS - 1) * STEP} {TOP + 2 * STEP}h")
    assert drawn.busiest == cell


def test_levels_are_relative_to_the_busiest_day(subtests: pytest.Subtests) -> None:
    for count, level in [(1, 1), (2, 1), (3, 2), (5, 3), (6, 3), (7, 4), (8, 4)]:
        with subtests.test(count=count, level=level):
            drawn = heatmap({WEDNESDAY: 8, dt.date(2026, 5, 19): count}, WEDNESDAY, MONDAY)
            assert [cell.level for cell in drawn.cells] == [level, 4]


def test_nothing_done() -> None:
    drawn = heatmap({}, WEDNESDAY, MONDAY)
    assert (drawn.cells, drawn.total, drawn.busiest, drawn.longest_run) == ((), 0, None, 0)


def test_the_longest_run_of_days(subtests: pytest.Subtests) -> None:
    for days, run in [([1], 1), ([1, 3], 1), ([1, 2, 4, 5, 6, 9], 3), ([9, 10, 11, 12], 4)]:
        with subtests.test(days=days, run=run):
            assert heatmap({dt.date(2026, 5, day): 1 for day in days}, WEDNESDAY, MONDAY).longest_run == run


def test_names_of_months_never_touch() -> None:
    gaps = {}
    for today in (WEDNESDAY + dt.timedelta(days=offset) for offset in range(0, 366, 5)):
        xs = [label.x for label in heatmap({}, today, MONDAY).labels if label.y == 10]
        gaps[today] = min(right - left for left, right in pairwise(xs))
    assert {today: gap for today, gap in gaps.items() if gap < 3 * STEP} == {}
