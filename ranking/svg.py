"""Draws charts as SVG: axes with round ticks, curves, bars and dots with titles, frames, and pictures of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from math import ceil, floor, log10

import numpy as np

WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 30  # margins, for labels
TICKS = 5  # intervals between ticks, about
COLUMNS_SIZE = (480, 96)  # of a histogram without axes
IN_A_ROW, HEADING = 2, 34  # of a picture of several charts
# The beginning of a style sheet for a picture that stands alone; pages have style sheets of their own.
STYLE = """
svg { font: 14px system-ui, sans-serif; --ink: #15171c; --quiet: #5b5f68; --line: #e2dfd6; --accent: #3d3bd0; }
@media (prefers-color-scheme: dark) { svg { --ink: #eceff4; --quiet: #9aa3b1; --line: #3a4150; --accent: #a3a6ff; } }
"""
Tick = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from low to high, with labels at some of them."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def percents(low: float) -> Axis:
    return Axis(low, 1.0, tuple((tenth / 10, f"{10 * tenth} %") for tenth in range(round(10 * low), 11)))


def round_axis(low: float, high: float, *, whole: bool = False) -> Axis:
    """An axis that includes both values, with round numbers for its ends and ticks."""
    step = round_width(max((high - low) / TICKS, 1.0 if whole else 1e-6, abs(high) * 1e-6))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -floor(log10(step) + 1e-9))
    ticks = tuple((n * step, f"{n * step:,.{digits}f}".replace("-", "−")) for n in range(first, last + 1))
    return Axis(first * step, last * step, ticks)


def path_through(points: Iterable[tuple[float, float]]) -> str:
    """The data (`d`) of a path of straight lines through these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def square(x: int, y: int, size: int) -> str:
    """The data of the path of a square; x and y are those of its upper left corner."""
    return f"M{x} {y}h{size}v{size}h-{size}z"


def bar(kind: str, left: float, top: float, width: float, height: float, title: str) -> str:
    box = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" {box}><title>{escape(title)}</title></rect>'


def _path(kind: str, points: Iterable[tuple[float, float]], title: str = "", *, filled: bool = False) -> str:
    fill = "" if filled else ' fill="none"'
    attributes = f'class="{kind}"{fill} d="{path_through(points)}"'
    return f"<path {attributes}><title>{escape(title)}</title></path>" if title else f"<path {attributes}/>"


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart of two axes. Its shapes are given by values; `frame` puts them together."""

    x: Axis
    y: Axis

    def x_of(self, value: float) -> float:
        return LEFT + self.x.share(value) * (WIDTH - LEFT - RIGHT)

    def y_of(self, value: float) -> float:
        return HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - TOP - BOTTOM)

    def path(self, points: Iterable[tuple[float, float]]) -> str:
        """The data of a path through these values."""
        return path_through((self.x_of(x), self.y_of(y)) for x, y in points)

    def curve(self, kind: str, points: Iterable[tuple[float, float]], title: str = "", *, filled: bool = False) -> str:
        """A curve; `filled`: the style sheet says with what it is filled."""
        return _path(kind, ((self.x_of(x), self.y_of(y)) for x, y in points), title, filled=filled)

    def across(self, kind: str, value: float) -> str:
        """A line at this height, from side to side."""
        height = self.y_of(value)
        return _path(kind, ((LEFT, height), (WIDTH - RIGHT, height)))

    def upright(self, kind: str, value: float) -> str:
        """A line at this place, from top to bottom."""
        place = self.x_of(value)
        return _path(kind, ((place, TOP), (place, HEIGHT - BOTTOM)))

    def dot(self, x: float, y: float, radius: float, title: str) -> str:
        place = f'cx="{self.x_of(x):.1f}" cy="{self.y_of(y):.1f}"'
        return f'<circle class="plot-dot" {place} r="{radius:.1f}"><title>{escape(title)}</title></circle>'

    def frame(self, shapes: Iterable[str], description: str) -> str:
        """The chart: grid and labels, then the shapes above them; `description`: its text for screen readers."""
        parts = [
            f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
            f' role="img" aria-label="{escape(description)}">'
        ]
        for value, label in self.y.ticks:
            parts.append(self.across("plot-grid", value))
            height = self.y_of(value) + 5
            parts.append(f'<text x="{LEFT - 7}" y="{height:.1f}" text-anchor="end">{escape(label)}</text>')
        for index, (value, label) in enumerate(self.x.ticks):
            anchor = "middle" if index < len(self.x.ticks) - 1 else "end"
            place = f'x="{self.x_of(value):.1f}" y="{HEIGHT - 8}"'
            parts.append(f'<text {place} text-anchor="{anchor}">{escape(label)}</text>')
        return "".join([*parts, *shapes, "</svg>"])


def columns(numbers: Sequence[tuple[int, str]], description: str) -> str:
    """A small histogram without axes: a column for each number, with its title."""
    width, height = COLUMNS_SIZE
    most, step = max(number for number, _ in numbers), width / len(numbers)
    shapes = []
    for index, (number, title) in enumerate(numbers):
        tall = round(height * number / most, 1)
        box = f'x="{round(index * step, 1)}" y="{height - tall}" width="{round(step - 2, 1)}" height="{tall}"'
        shapes.append(f'<rect {box} rx="1"><title>{escape(title)}</title></rect>')
    label = f'role="img" aria-label="{escape(description)}"'
    return f'<svg class="histogram" viewBox="0 0 {width} {height}" {label}>{"".join(shapes)}</svg>'


def document(width: int, height: int, style: str, parts: Iterable[str]) -> str:
    """A picture that stands alone, with a style sheet of its own."""
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>\n{body}\n</svg>\n'


def sheet(charts: Sequence[tuple[str, str]], style: str, *behind: str) -> str:
    """A picture of charts with headings, two in a row; `behind`: shapes that lie under them."""
    parts = [
        f'<g transform="translate({index % IN_A_ROW * WIDTH} {index // IN_A_ROW * (HEIGHT + HEADING)})">'
        f'<text class="plot-title" x="{LEFT}" y="22">{escape(heading)}</text>'
        f'<g transform="translate(0 {HEADING})">{chart}</g></g>'
        for index, (heading, chart) in enumerate(charts)
    ]
    height = ceil(len(charts) / IN_A_ROW) * (HEIGHT + HEADING)
    return document(IN_A_ROW * WIDTH, height, style, [*behind, *parts])


def round_steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 …"""
    for power in count():
        yield from (digit * 10**power for digit in (1, 2, 5))


def round_width(least: float) -> float:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5 … that is at least `least`."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9)))
