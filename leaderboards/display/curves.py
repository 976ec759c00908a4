"""Draws curves as SVG paths: sparklines of a table, and charts of ratings or ranks.

A chart is stretched to its place on the page (`preserveAspectRatio="none"`), so its labels are HTML beside it. Grid
lines lie at equal distances, from the highest label down. A table behind each chart has the same points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import ceil

from ranking.svg import path_through, round_steps

SPARK_WIDTH, SPARK_HEIGHT, SPARK_MARGIN = 360, 100, 20  # units, of which a pixel has five
WIDTH, HEIGHT = 1000, 300
STEPS = 5  # at most, between the lowest and the highest grid line
LABELS = 6  # at most, below a chart
ROOM = 100 / LABELS  # per cent of the width for each
NAMED = 0.08  # the share of the height from which on a band is named


def widest(series: Sequence[Sequence[int]]) -> int:
    """The scale for all sparklines of a table: the largest span of any of them."""
    return max((max(values) - min(values) for values in series if values), default=0) or 1


def sparkline(values: Sequence[int], span: int) -> str:
    """The path of a sparkline around its own middle; `span`: the difference that fills the height.

    A board has fifty, so it tells steps, not points, in whole units.
    """
    if len(values) < 2:
        return ""
    middle, scale = (max(values) + min(values)) / 2, (SPARK_HEIGHT - SPARK_MARGIN) / span
    ys = [round(SPARK_HEIGHT / 2 - (value - middle) * scale) for value in values]
    steps = [f"{right}{y - before:+d}" for right, (before, y) in zip(_rights(len(ys)), pairwise(ys), strict=True)]
    return f"M0 {ys[0]}l" + " ".join(steps)


@cache
def _rights(count: int) -> tuple[int, ...]:
    """The steps to the right between the points of a sparkline."""
    xs = [round(index * SPARK_WIDTH / (count - 1)) for index in range(count)]
    return tuple(after - before for before, after in pairwise(xs))


@dataclass(frozen=True, slots=True)
class Label:
    """A text below a chart; `x` in per cent of the width."""

    x: float
    text: str

    @property
    def anchor(self) -> str:
        return "start" if self.x < 4 else "end" if self.x > 96 else "middle"

    @property
    def centre(self) -> float:
        """The middle of the text, if it fills its room."""
        return self.x + {"start": ROOM / 2, "middle": 0, "end": -ROOM / 2}[self.anchor]


@dataclass(frozen=True, slots=True)
class BandStart:
    """A range of values that has a name and a colour, from `value` to where the next one begins."""

    name: str
    colour: str
    value: int


@dataclass(frozen=True, slots=True)
class Band:
    """A named range as a chart shows it; `middle` in per cent of the height. Narrow ones have no name."""

    name: str
    colour: str
    top: float
    height: float

    @property
    def middle(self) -> float:
        return round(100 * (self.top + self.height / 2) / HEIGHT, 1)


@dataclass(frozen=True, slots=True)
class Chart:
    """One or several curves over one scale: paths, the points of each, and labels from the top down.

    `area`: below the first curve. `best`: the point of the first curve with its best value.
    """

    lines: tuple[str, ...]
    area: str
    curves: tuple[tuple[tuple[float, float], ...], ...]
    levels: tuple[int, ...]
    grid: tuple[float, ...]
    labels: tuple[Label, ...]
    bands: tuple[Band, ...]
    best: tuple[float, float] | None

    @property
    def ends(self) -> list[tuple[float, float]]:
        """The last point of each curve."""
        return [points[-1] for points in self.curves]

    def marking(self, index: int | None) -> Chart:
        """Return the chart with this point of the first curve as its best; None: no point is marked."""
        return replace(self, best=None if index is None else self.curves[0][index])


def chart(
    curves: Sequence[Sequence[tuple[int, int]]],
    names: Sequence[str],
    *,
    unit: int = 1,
    downwards: bool = False,
    bands: Sequence[BandStart] = (),
) -> Chart | None:
    """A chart of curves of (index, value), with a grid at round multiples of `unit`.

    `names`: of each index, such as its day; where it changes there is a label. `downwards`: the least value is best,
    and on top. `bands`: in the order of their values. None if there are fewer than two indexes, or no curve has two
    points.
    """
    if len(names) < 2 or max((len(points) for points in curves), default=0) < 2:
        return None
    values = [value for points in curves for _, value in points]
    low, step, steps = _scale(min(values), max(values), unit)
    span, gap = steps * step, WIDTH / (len(names) - 1)

    def y_of(value: int) -> float:
        share = (value - low) / span
        return round(HEIGHT * (share if downwards else 1 - share), 1)

    drawn = tuple(tuple((round(index * gap, 1), y_of(value)) for index, value in points) for points in curves)
    lines = tuple(path_through(points) if points else "" for points in drawn)
    first = drawn[0]
    return Chart(
        lines=lines,
        area=f"{lines[0]}L{first[-1][0]} {HEIGHT}L{first[0][0]} {HEIGHT}Z" if first else "",
        curves=drawn,
        levels=tuple(low + step * (index if downwards else steps - index) for index in range(steps + 1)),
        grid=tuple(HEIGHT * index / steps for index in range(steps + 1)),
        labels=_labels(names),
        bands=tuple(_bands(bands, low, low + span, y_of)),
        best=min(first, key=lambda point: point[1]),
    )


def _labels(names: Sequence[str]) -> tuple[Label, ...]:
    """The names where they change, if there is room."""
    labels: list[Label] = []
    for index, name in enumerate(names):
        x = round(100 * index / (len(names) - 1), 2)
        label = Label(x, name)
        if not labels or (name != names[index - 1] and label.centre - labels[-1].centre >= ROOM):
            labels.append(label)
    return tuple(labels)


def _bands(starts: Sequence[BandStart], low: int, high: int, y_of: Callable[[int], float]) -> Iterator[Band]:
    for start, end in zip(starts, [*(start.value for start in starts[1:]), high], strict=False):
        bottom, top = max(low, start.value), min(high, end)
        if bottom < top:
            height = round(y_of(bottom) - y_of(top), 1)
            yield Band(start.name if height >= HEIGHT * NAMED else "", start.colour, y_of(top), height)


def _scale(low: int, high: int, unit: int) -> tuple[int, int, int]:
    """The lowest level, the distance between levels, and the number of steps (at most STEPS) that hold both values."""
    step = _round_step(max(1, ceil((high - low) / STEPS / unit)))
    while (steps := -(-high // (step * unit)) - low // (step * unit)) > STEPS:
        step = _round_step(step + 1)
    return low // (step * unit) * step * unit, step * unit, max(2, steps)


def _round_step(least: int) -> int:
    return next(step for step in round_steps() if step >= least)
