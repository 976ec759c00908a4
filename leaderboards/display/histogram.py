"""Lays out histograms: columns in per cent of the drawing's width and height, so that they fit any screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.rules.rank_table import DistributionBar
from ranking.svg import round_steps

HEADROOM = 12  # per cent above the highest column, for labels
GAP = 0.15  # of a column's width
LINES = 4  # across, at most
INTERVALS = 4  # between values below


@dataclass(frozen=True, slots=True)
class Column:
    """The rectangle of a bar, in per cent from the left and from the top."""

    bar: DistributionBar
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Columns over values from `low` up to but not including `high`."""

    columns: tuple[Column, ...]
    low: int
    high: int

    @property
    def counts(self) -> list[tuple[float, int]]:
        """The y, in per cent from the top, of each round count of the axis, and the count; at most LINES."""
        most = max(column.bar.count for column in self.columns)
        step = next(width for width in round_steps() if most // width <= LINES)
        return [(round(100 - (100 - HEADROOM) * number / most, 2), number) for number in range(step, most + 1, step)]

    @property
    def values(self) -> list[tuple[float, int]]:
        """The x, in per cent, of values at equal distances, and the value."""
        return [
            (100 * part / INTERVALS, self.low + (self.high - self.low) * part // INTERVALS)
            for part in range(INTERVALS + 1)
        ]

    def x_of(self, value: int) -> float:
        """The x of a value; a value beyond the ends lies at the nearer end."""
        inside = min(max(value, self.low), self.high)
        return round(100 * (inside - self.low) / (self.high - self.low), 2)


def histogram(bars: Sequence[DistributionBar]) -> Histogram | None:
    """The histogram of these adjacent bars; None if there are none."""
    if not bars:
        return None
    low, high, most = bars[0].low, bars[-1].high, max(bar.count for bar in bars)
    columns = []
    for bar in bars:
        left, width = (bar.low - low) / (high - low), (bar.high - bar.low) / (high - low)
        height = (100 - HEADROOM) * bar.count / most
        columns.append(
            Column(
                bar=bar,
                x=round(100 * (left + width * GAP / 2), 2),
                y=round(100 - height, 2),
                width=round(100 * width * (1 - GAP), 2),
                height=round(height, 2),
            )
        )
    return Histogram(tuple(columns), low, high)
