"""Lays out a calendar of activity as squares: a column for each week, from its first day down.

The first day is given as a number: 0 is Monday, 6 is Sunday.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ranking.svg import square
from ranking.wording.dates import month_names, weekday_names

WEEKS = 26
STEP, SIZE = 14, 11  # from square to square, and a square's side
LEFT, TOP = 30, 16  # room for the days' and the months' names
LEVELS = 4
_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """A day with activity; `level` is 1 to LEVELS, relative to the busiest day."""

    path: str
    level: int
    count: int
    day: dt.date


@dataclass(frozen=True, slots=True)
class Label:
    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """`cells`: days with activity; `idle`: one path of all other days; `days`: the number of all days."""

    cells: tuple[HeatmapCell, ...]
    idle: str
    labels: tuple[Label, ...]
    days: int
    total: int
    busiest: HeatmapCell | None
    longest_run: int  # of consecutive days with activity
    width: int = LEFT + WEEKS * STEP - (STEP - SIZE)
    height: int = TOP + 7 * STEP - (STEP - SIZE)


def first_day(today: dt.date, week_start: int) -> dt.date:
    """The day on which the calendar that ends today begins; a week begins on the weekday `week_start`."""
    return today - dt.timedelta(days=(today.weekday() - week_start) % 7 + 7 * (WEEKS - 1))


def heatmap(counts: Mapping[dt.date, int], today: dt.date, week_start: int) -> HeatMap:
    """The calendar of these counts by day; days outside of it don't count."""
    first = first_day(today, week_start)
    days = [first + index * _DAY for index in range((today - first).days + 1)]
    most = max((counts.get(day, 0) for day in days), default=0)
    cells = tuple(
        HeatmapCell(_square(index), -(-LEVELS * count // most), count, day)
        for index, day in enumerate(days)
        if (count := counts.get(day, 0))
    )
    return HeatMap(
        cells=cells,
        idle="".join(_square(index) for index, day in enumerate(days) if not counts.get(day)),
        labels=(*_weekdays(week_start), *_months(first)),
        days=len(days),
        total=sum(cell.count for cell in cells),
        busiest=max(cells, key=lambda cell: cell.count, default=None),
        longest_run=_longest_run([cell.day for cell in cells]),
    )


def _square(index: int) -> str:
    week, weekday = divmod(index, 7)
    return square(LEFT + week * STEP, TOP + weekday * STEP, SIZE)


def _longest_run(days: Sequence[dt.date]) -> int:
    longest = run = 0
    for index, day in enumerate(days):
        run = run + 1 if index and day - days[index - 1] == _DAY else 1
        longest = max(longest, run)
    return longest


def _weekdays(week_start: int) -> list[Label]:
    """The names of Monday, Wednesday and Friday, each beside its row."""
    return [Label(0, TOP + (day - week_start) % 7 * STEP + 9, weekday_names()[day]) for day in (0, 2, 4)]


def _months(first: dt.date) -> list[Label]:
    """The name of each month above the first week that begins in it, unless the next name would overlap it."""
    weeks = [first + 7 * week * _DAY for week in range(WEEKS)]
    starts = [0, *(week for week in range(1, WEEKS) if weeks[week].month != weeks[week - 1].month)]
    if len(starts) > 1 and starts[1] - starts[0] < 3:
        starts = starts[1:]
    return [Label(LEFT + week * STEP, 10, month_names()[weeks[week].month - 1]) for week in starts if week < WEEKS - 1]
