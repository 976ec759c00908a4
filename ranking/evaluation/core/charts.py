"""Charts of an evaluation as SVG: shapes with classes, coloured by whoever shows them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from html import escape
from math import ceil, floor, sqrt

from ranking.evaluation.core.calibration import Bin
from ranking.evaluation.core.inflation import Bar, Moment
from ranking.evaluation.core.replay import DAY
from ranking.evaluation.core.trials import Evaluation
from ranking.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    dot,
    frame,
    line,
    path_through,
    percent,
    percents,
    round_axis,
    x_of,
    y_of,
)

COLUMNS = 2  # of a picture of several charts
HEADING = 34

# Of a picture that stands alone; pages colour the classes by their own sheet.
STYLE = """
svg { font: 14px system-ui, sans-serif; --ink: #15171c; --quiet: #5b5f68; --line: #e2dfd6; --accent: #3d3bd0; }
@media (prefers-color-scheme: dark) { svg { --ink: #eceff4; --quiet: #9aa3b1; --line: #3a4150; --accent: #a3a6ff; } }
text { fill: var(--quiet); } .plot-title { fill: var(--ink); font-weight: 700; font-size: 15px; }
.plot-grid { stroke: var(--line); } .plot-ideal { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot-reach { stroke: var(--accent); stroke-width: 2; opacity: .45; } .plot-dot { fill: var(--accent); }
"""


def calibration(bins: Sequence[Bin]) -> str:
    """The favourite's chance against how often it won; the dashed line is what was promised."""
    if not bins:
        return ""
    lowest = floor(min(0.4, *(b.share for b in bins)) * 10) / 10  # the same for all that aren't far off
    x, y = percents(0.5), percents(lowest)
    largest = max(b.count for b in bins)
    shapes = [line("plot-ideal", x_of(x, 0.5), y_of(y, 0.5), x_of(x, 1.0), y_of(y, 1.0))]
    for b in bins:
        at = x_of(x, b.chance)
        said = f"Favourites with {percent(b.chance)}: {percent(b.share)} of {b.count:,} won"
        shapes.append(line("plot-reach", at, y_of(y, max(lowest, b.low)), at, y_of(y, b.high)))
        shapes.append(dot(at, y_of(y, b.share), 2.5 + 4 * sqrt(b.count / largest), said))
    told = "; ".join(f"{percent(b.chance)} promised, {percent(b.share)} won" for b in bins)
    return frame(x, y, shapes, f"Calibration: {told}")


def distribution(bars: Sequence[Bar]) -> str:
    """How many players hold which rating."""
    if not bars:
        return ""
    x = round_axis(bars[0].low, bars[-1].high)
    y = round_axis(0, max(bar.count for bar in bars), whole=True)
    shapes = []
    for bar in bars:
        left, right, top = x_of(x, bar.low), x_of(x, bar.high), y_of(y, bar.count)
        said = f"{bar.low:,g} to {bar.high:,g}: {bar.count:,}"
        shapes.append(
            f'<rect class="plot-bar" x="{left:.1f}" y="{top:.1f}" width="{max(0.5, right - left - 1):.1f}"'
            f' height="{HEIGHT - BOTTOM - top:.1f}"><title>{said}</title></rect>'
        )
    fullest = max(bars, key=lambda bar: bar.count)
    players = sum(bar.count for bar in bars)
    return frame(x, y, shapes, f"Ratings of {players:,} players; most between {fullest.low:,g} and {fullest.high:,g}")


def course(moments: Sequence[Moment], start: float) -> str:
    """The mean rating of the active over time; the dashed line is a newcomer's rating."""
    if len(moments) < 2 or moments[0].at >= moments[-1].at:
        return ""
    begin, end = moments[0].at, moments[-1].at
    within_a_year = end - begin < 300 * DAY
    days = [dt.datetime.fromtimestamp(begin + (end - begin) * part, dt.UTC) for part in (0, 0.5, 1)]
    words = [f"{day.day} {day:%b}" if within_a_year else f"{day:%b %Y}" for day in days]
    x = Axis(begin, end, tuple((day.timestamp(), said) for day, said in zip(days, words, strict=True)))
    means = [moment.mean for moment in moments]
    y = round_axis(min(start, *means), max(start, *means))
    path = path_through((x_of(x, moment.at), y_of(y, moment.mean)) for moment in moments)
    last = moments[-1]
    shapes = [
        line("plot-ideal", LEFT, y_of(y, start), WIDTH - RIGHT, y_of(y, start)),
        f'<path class="plot-line" d="{path}"/>',
        dot(x_of(x, last.at), y_of(y, last.mean), 4, f"{last.mean:,.2f}, {last.players:,} active players"),
    ]
    return frame(x, y, shapes, f"Mean rating from {means[0]:,.2f} to {means[-1]:,.2f}; newcomers have {start:,.2f}")


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
