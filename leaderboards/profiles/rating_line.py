"""One line of ratings as a chart, with that of the ranks beside it, and a table of the same points behind both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leaderboards.boards.boards import Board
from leaderboards.display.curves import Chart, chart
from ranking.wording.translation import number_text


class RatedPoint(NamedTuple):
    """A rating in hundredths, when it was reached, and in words how or in which season; `rank`: right after it."""

    at: dt.datetime
    words: str
    rating: int
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class LineRow:
    """A point of the chart in words."""

    at: dt.datetime
    words: str
    rating: str
    rank: str


@dataclass(frozen=True, slots=True)
class RatingLine:
    """The chart, the labels of its levels from the top down, and its points in words, oldest first.

    `ranks`: the chart of the ranks; None if fewer than two are known.
    """

    chart: Chart
    levels: Sequence[str]
    rows: Sequence[LineRow]
    ranks: Chart | None = None
    rank_levels: Sequence[str] = ()


def draw_ratings(points: Sequence[RatedPoint], labels: Sequence[str], board: Board) -> RatingLine | None:
    """Return the chart of these points, oldest first; None for fewer than two.

    `labels`: of each point, such as its day.
    """
    drawn = chart(
        [[(index, point.rating) for index, point in enumerate(points)]], labels, unit=10 ** (2 - board.decimals)
    )
    if drawn is None:
        return None
    rows = [LineRow(point.at, point.words, board.rating_text(point.rating), rank_text(point.rank)) for point in points]
    ranks = chart([[(index, point.rank) for index, point in enumerate(points) if point.rank]], labels, downwards=True)
    levels = [board.rating_text(level) for level in drawn.levels]
    return RatingLine(drawn, levels, rows, ranks, rank_levels(ranks) if ranks else ())


def rank_text(rank: int | None) -> str:
    return f"#{number_text(rank)}" if rank else ""


def rank_levels(ranks: Chart) -> list[str]:
    """Return the labels of a chart of ranks; there is no rank 0."""
    return [number_text(level) if level else "\u2007" for level in ranks.levels]
