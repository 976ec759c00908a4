"""What charts are drawn with: axes with round ticks, lines, dots and a frame, as SVG with classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

import numpy as np

WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 30  # what words take
TICKS = 5  # at most, between grid lines
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
    """An axis that holds both values, with ends and ticks at round ones."""
    step = round_width(max((high - low) / TICKS, 1.0 if whole else 1e-6, abs(high) * 1e-6))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = max(0, -floor(log10(step) + 1e-9))
    ticks = tuple((n * step, f"{n * step:,.{digits}f}".replace("-", "−")) for n in range(first, last + 1))
    return Axis(first * step, last * step, ticks)


def x_of(axis: Axis, value: float) -> float:
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)


def y_of(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path class="{kind}" fill="none" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def path_through(points: Iterable[tuple[float, float]]) -> str:
    """The data (`d`) of a path of straight lines through these points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def dot(x: float, y: float, radius: float, said: str) -> str:
    return f'<circle class="plot-dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{escape(said)}</title></circle>'


def frame(x: Axis, y: Axis, shapes: Sequence[str], said: str) -> str:
    """The chart: grid and labels beneath, shapes above; `said` tells it to those who can't see it."""
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" aria-label="{escape(said)}">'
    ]
    for value, words in y.ticks:
        at = y_of(y, value)
        parts.append(line("plot-grid", LEFT, at, WIDTH - RIGHT, at))
        parts.append(f'<text x="{LEFT - 7}" y="{at + 5:.1f}" text-anchor="end">{escape(words)}</text>')
    for index, (value, words) in enumerate(x.ticks):
        anchor = "middle" if index < len(x.ticks) - 1 else "end"
        parts.append(f'<text x="{x_of(x, value):.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{escape(words)}</text>')
    return "".join([*parts, *shapes, "</svg>"])


def round_width(least: float) -> float:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5 … that isn't less."""
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9)))
