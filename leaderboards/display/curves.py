"""Lines of SVG: sparklines of a table, and the curve of a rating or rank. Pure.

A chart's drawing is stretched to its place on the page (`preserveAspectRatio="none"`), so its words are HTML
beside it: grid lines lie at equal distances, from the highest label down.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, log10

from ranking.svg import path_through

SPARK_WIDTH, SPARK_HEIGHT = 72, 20
WIDTH, HEIGHT = 1000, 300
STEPS = 5  # between grid lines, at most


def widest(series: Sequence[Sequence[int]]) -> int:
    """The scale that sparklines of one table share: the largest span of any of them."""
    return max((max(values) - min(values) for values in series if values), default=0) or 1


def sparkline(values: Sequence[int], span: int) -> str:
    """The path of a sparkline around its own middle; `span` is what fills the height."""
    if len(values) < 2:
        return ""
    middle, scale = (max(values) + min(values)) / 2, (SPARK_HEIGHT - 4) / span
    points = [
        f"{x} {SPARK_HEIGHT / 2 - (value - middle) * scale:.1f}"
        for x, value in zip(_spark_xs(len(values)), values, strict=True)
    ]
    return "M" + "L".join(points)


@cache
def _spark_xs(count: int) -> tuple[str, ...]:
    """Where the points of a sparkline lie, as text: a board draws fifty alike."""
    return tuple(f"{index * SPARK_WIDTH / (count - 1):.1f}" for index in range(count))


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a chart with the stretch of it that answers to the mouse, and what it says."""

    x: float
    y: float
    left: float
    width: float
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A curve of at least two points: paths of line and area, dots, and labels from the highest down."""

    line: str
    area: str
    dots: tuple[Dot, ...]
    levels: tuple[int, ...]
    grid: tuple[float, ...]

    @property
    def last(self) -> Dot:
        return self.dots[-1]


def chart(
    values: Sequence[int], titles: Sequence[str], kinds: Sequence[str], *, unit: int = 1, downwards: bool = False
) -> Chart | None:
    """A chart of these values, whose grid lies at round multiples of `unit`; `downwards`: the least is on top."""
    if len(values) < 2:
        return None
    low, step, steps = _scale(min(values), max(values), unit)
    high = low + steps * step
    gap = WIDTH / (len(values) - 1)
    xs = [index * gap for index in range(len(values))]
    shares = [(value - low) / (high - low) for value in values]
    ys = [HEIGHT * (share if downwards else 1 - share) for share in shares]
    line = path_through(zip(xs, ys, strict=True))
    dots = tuple(
        Dot(round(x, 1), round(y, 1), round(max(0.0, x - gap / 2), 1), round(gap, 1), title, kind)
        for x, y, title, kind in zip(xs, ys, titles, kinds, strict=True)
    )
    levels = tuple(low + step * (index if downwards else steps - index) for index in range(steps + 1))
    grid = tuple(HEIGHT * index / steps for index in range(steps + 1))
    return Chart(line, f"{line}L{WIDTH} {HEIGHT}L0 {HEIGHT}Z", dots, levels, grid)


@dataclass(frozen=True, slots=True)
class Overlay:
    """Curves over one stretch of time and one scale: a path each, where each ends, labels from the highest down."""

    lines: tuple[str, ...]
    ends: tuple[tuple[float, float], ...]
    levels: tuple[int, ...]
    grid: tuple[float, ...]
    first: dt.datetime
    last: dt.datetime


def overlay(series: Sequence[Sequence[tuple[float, int]]], unit: int = 1) -> Overlay | None:
    """A chart of several curves of (POSIX time, value), each in order of time and with at least two points."""
    times = [when for points in series for when, _ in points]
    if any(len(points) < 2 for points in series) or min(times) == max(times):
        return None
    values = [value for points in series for _, value in points]
    low, step, steps = _scale(min(values), max(values), unit)
    since, until, span = min(times), max(times), steps * step
    drawn = [
        [((when - since) / (until - since) * WIDTH, HEIGHT * (1 - (value - low) / span)) for when, value in points]
        for points in series
    ]
    return Overlay(
        lines=tuple(path_through(points) for points in drawn),
        ends=tuple((round(points[-1][0], 1), round(points[-1][1], 1)) for points in drawn),
        levels=tuple(low + step * (steps - index) for index in range(steps + 1)),
        grid=tuple(HEIGHT * index / steps for index in range(steps + 1)),
        first=dt.datetime.fromtimestamp(since, dt.UTC),
        last=dt.datetime.fromtimestamp(until, dt.UTC),
    )


def _scale(low: int, high: int, unit: int) -> tuple[int, int, int]:
    """The lowest level, the distance of levels, and how many steps of it hold both values: at most STEPS."""
    step = _round_step(max(1, ceil((high - low) / STEPS / unit)))
    while (steps := -(-high // (step * unit)) - low // (step * unit)) > STEPS:
        step = _round_step(step + 1)
    return low // (step * unit) * step * unit, step * unit, max(2, steps)


def _round_step(least: int) -> int:
    """The smallest of 1, 2, 5, 10, 20 … that isn't less."""
    power: int = 10 ** int(log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)
