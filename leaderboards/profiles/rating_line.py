"""One line of ratings as a chart, with a table of the same points behind it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.display.curves import Chart, chart


class RatedPoint(NamedTuple):
    """A rating in hundredths, when it was reached, and in words how or in which season."""

    at: dt.datetime
    words: str
    rating: int


@dataclass(frozen=True, slots=True)
class LineRow:
    """A point of the chart in words."""

    at: dt.datetime
    words: str
    rating: str


@dataclass(frozen=True, slots=True)
class RatingLine:
    """The chart, the labels of its levels from the top down, and its points in words, oldest first."""

    chart: Chart
    levels: Sequence[str]
    rows: Sequence[LineRow]


def draw_ratings(points: Sequence[RatedPoint], labels: Sequence[str], board: Board) -> RatingLine | None:
    """Return the chart of these points, oldest first; None for fewer than two.

    `labels`: of each point, such as its day.
    """
    values = [(index, point.rating) for index, point in enumerate(points)]
    drawn = chart([values], labels, unit=10 ** (2 - board.decimals))
    if drawn is None:
        return None
    rows = [LineRow(point.at, point.words, board.rating_text(point.rating)) for point in points]
    return RatingLine(drawn, [board.rating_text(level) for level in drawn.levels], rows)
