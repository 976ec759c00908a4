"""Charts of an evaluation as SVG: shapes with classes, coloured by whoever shows them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, sqrt

from ranking.evaluation.calibration import Bin
from ranking.evaluation.populations import Bar, Moment, round_width
from ranking.evaluation.replaying import DAY
from ranking.evaluation.trials import Evaluation

WIDTH, HEIGHT = 400, 240
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 12, 30  # what words take
TICKS = 5  # at most, between grid lines
COLUMNS = 2  # of a picture of several charts
HEADING = 34

Tick = tuple[float, str]

# Of a picture that stands alone; pages colour the classes by their own sheet.
STYLE = """
svg { font: 14px system-ui, sans-serif; --ink: #15171c; --quiet: #5b5f68; --line: #e2dfd6; --accent: #3d3bd0; }
@media (prefers-color-scheme: dark) { svg { --ink: #eceff4; --quiet: #9aa3b1; --line: #3a4150; --accent: #a3a6ff; } }
text { fill: var(--quiet); } .plot-title { fill: var(--ink); font-weight: 700; font-size: 15px; }
.plot-grid { stroke: var(--line); } .plot-ideal { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot-reach { stroke: var(--accent); stroke-width: 2; opacity: .45; } .plot-dot { fill: var(--accent); }
"""


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from low to high, with labels at some of them."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def calibration(bins: Sequence[Bin]) -> str:
    """The favourite's chance against how often it won; the dashed line is what was promised."""
    if not bins:
        return ""
    lowest = floor(min(0.4, *(b.share for b in bins)) * 10) / 10  # the same for all that aren't far off
    x, y = _percents(0.5), _percents(lowest)
    largest = max(b.count for b in bins)
    shapes = [_line("plot-ideal", _x(x, 0.5), _y(y, 0.5), _x(x, 1.0), _y(y, 1.0))]
    for b in bins:
        at = _x(x, b.chance)
        said = f"Favourites with {_percent(b.chance)}: {_percent(b.share)} of {b.count:,} won"
        shapes.append(_line("plot-reach", at, _y(y, max(lowest, b.low)), at, _y(y, b.high)))
        shapes.append(_dot(at, _y(y, b.share), 2.5 + 4 * sqrt(b.count / largest), said))
    told = "; ".join(f"{_percent(b.chance)} promised, {_percent(b.share)} won" for b in bins)
    return _frame(x, y, shapes, f"Calibration: {told}")


def distribution(bars: Sequence[Bar]) -> str:
    """How many players hold which rating."""
    if not bars:
        return ""
    x = _round_axis(bars[0].low, bars[-1].high)
    y = _round_axis(0, max(bar.count for bar in bars), whole=True)
    shapes = []
    for bar in bars:
        left, right, top = _x(x, bar.low), _x(x, bar.high), _y(y, bar.count)
        said = f"{bar.low:,g} to {bar.high:,g}: {bar.count:,}"
        shapes.append(
            f'<rect class="plot-bar" x="{left:.1f}" y="{top:.1f}" width="{max(0.5, right - left - 1):.1f}"'
            f' height="{HEIGHT - BOTTOM - top:.1f}"><title>{said}</title></rect>'
        )
    fullest = max(bars, key=lambda bar: bar.count)
    players = sum(bar.count for bar in bars)
    return _frame(x, y, shapes, f"Ratings of {players:,} players; most between {fullest.low:,g} and {fullest.high:,g}")


def course(moments: Sequence[Moment], start: float) -> str:
    """The mean rating of the active over time; the dashed line is a newcomer's rating."""
    if len(moments) < 2 or moments[0].at >= moments[-1].at:
        return ""
    begin, end = moments[0].at, moments[-1].at
    days = [dt.datetime.fromtimestamp(begin + (end - begin) * part, dt.UTC) for part in (0, 0.5, 1)]
    within_a_year = end - begin < 300 * DAY
    x = Axis(
        begin, end, tuple((day.timestamp(), f"{day.day} {day:%b}" if within_a_year else f"{day:%b %Y}") for day in days)
    )
    means = [moment.mean for moment in moments]
    y = _round_axis(min(start, *means), max(start, *means))
    points = "L".join(f"{_x(x, moment.at):.1f} {_y(y, moment.mean):.1f}" for moment in moments)
    last = moments[-1]
    shapes = [
        _line("plot-ideal", LEFT, _y(y, start), WIDTH - RIGHT, _y(y, start)),
        f'<path class="plot-line" d="M{points}"/>',
        _dot(_x(x, last.at), _y(y, last.mean), 4, f"{last.mean:,.2f}, {last.players:,} active players"),
    ]
    return _frame(x, y, shapes, f"Mean rating from {means[0]:,.2f} to {means[-1]:,.2f}; newcomers have {start:,.2f}")


def calibrations(found: Sequence[Evaluation]) -> str:
    """One picture of several systems' calibration, to stand in a document."""
    rows = ceil(len(found) / COLUMNS)
    parts = [
        f'<g transform="translate({index % COLUMNS * WIDTH} {index // COLUMNS * (HEIGHT + HEADING)})">'
        f'<text class="plot-title" x="{LEFT}" y="22">{escape(_headline(one))}</text>'
        f'<g transform="translate(0 {HEADING})">{calibration(one.calibration)}</g></g>'
        for index, one in enumerate(found)
    ]
    size = f'viewBox="0 0 {COLUMNS * WIDTH} {rows * (HEIGHT + HEADING)}" width="{COLUMNS * WIDTH}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"


def _headline(one: Evaluation) -> str:
    return one.system if one.figures.slope is None else f"{one.system}: slope {one.figures.slope:.2f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _percents(low: float) -> Axis:
    return Axis(low, 1.0, tuple((tenth / 10, f"{10 * tenth} %") for tenth in range(round(10 * low), 11)))


def _round_axis(low: float, high: float, *, whole: bool = False) -> Axis:
    """An axis that holds both values, with ends and ticks at round ones."""
    step = round_width(max((high - low) / TICKS, 1.0 if whole else 1e-6, abs(high) * 1e-6))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    last = max(last, first + 1)
    digits = 0 if step >= 1 else len(f"{step:g}".partition(".")[2])
    ticks = tuple((n * step, f"{n * step:,.{digits}f}".replace("-", "−")) for n in range(first, last + 1))
    return Axis(first * step, last * step, ticks)


def _x(axis: Axis, value: float) -> float:
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)


def _y(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path class="{kind}" fill="none" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def _dot(x: float, y: float, radius: float, said: str) -> str:
    return f'<circle class="plot-dot" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{escape(said)}</title></circle>'


def _frame(x: Axis, y: Axis, shapes: Sequence[str], said: str) -> str:
    """The chart: grid and labels beneath, shapes above; `said` tells it to those who can't see it."""
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" aria-label="{escape(said)}">'
    ]
    for value, words in y.ticks:
        at = _y(y, value)
        parts.append(_line("plot-grid", LEFT, at, WIDTH - RIGHT, at))
        parts.append(f'<text x="{LEFT - 7}" y="{at + 5:.1f}" text-anchor="end">{escape(words)}</text>')
    for index, (value, words) in enumerate(x.ticks):
        anchor = "middle" if index < len(x.ticks) - 1 else "end"
        parts.append(f'<text x="{_x(x, value):.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{escape(words)}</text>')
    return "".join([*parts, *shapes, "</svg>"])
