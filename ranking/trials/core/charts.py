"""Draws the charts of evaluations and fits as SVG; style sheets colour the classes of their shapes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from html import escape
from math import ceil, floor, log, sqrt

from ranking.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
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
from ranking.trials.core.accuracy import Bin
from ranking.trials.core.inflation import HistogramBar, RatingLevels
from ranking.trials.core.predictions import CoursePoint
from ranking.trials.core.timeline import DAY
from ranking.trials.core.trials import Evaluation

COLUMNS = 2  # of a picture of several charts
HEADING = 34

NOTHING_KNOWN = log(2)  # the log-loss of a coin toss
COLOURS = ("#6366f1", "#ea580c", "#0d9488", "#c026d3", "#78808e", "#b7791f", "#0284c7", "#e11d48")
DASHES = ("none", "6 3")
KEYS, KEY = 240, 22  # width of the key of a picture, height of its lines

# For a picture that stands alone; pages have style sheets of their own.
STYLE = """
svg { font: 14px system-ui, sans-serif; --ink: #15171c; --quiet: #5b5f68; --line: #e2dfd6; --accent: #3d3bd0; }
@media (prefers-color-scheme: dark) { svg { --ink: #eceff4; --quiet: #9aa3b1; --line: #3a4150; --accent: #a3a6ff; } }
text { fill: var(--quiet); } .plot-title { fill: var(--ink); font-weight: 700; font-size: 15px; }
.plot-grid { stroke: var(--line); } .plot-ideal { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot-reach { stroke: var(--accent); stroke-width: 2; opacity: .45; } .plot-dot { fill: var(--accent); }
"""


def calibration(bins: Sequence[Bin]) -> str:
    """The share of favourites that won, by their chance; the dashed line is perfect calibration."""
    if not bins:
        return ""
    lowest = floor(min(0.4, *(b.share for b in bins)) * 10) / 10  # the same axis for all charts, mostly
    x, y = percents(0.5), percents(lowest)
    largest = max(b.count for b in bins)
    shapes = [line("plot-ideal", x_of(x, 0.5), y_of(y, 0.5), x_of(x, 1.0), y_of(y, 1.0))]
    for b in bins:
        left = x_of(x, b.chance)
        title = f"Favourites with {percent(b.chance)}: {percent(b.share)} of {b.count:,} won"
        shapes.append(line("plot-reach", left, y_of(y, max(lowest, b.low)), left, y_of(y, b.high)))
        shapes.append(dot(left, y_of(y, b.share), 2.5 + 4 * sqrt(b.count / largest), title))
    description = "; ".join(f"{percent(b.chance)} promised, {percent(b.share)} won" for b in bins)
    return frame(x, y, shapes, f"Calibration: {description}")


def distribution(bars: Sequence[HistogramBar]) -> str:
    """A histogram of players by rating."""
    if not bars:
        return ""
    x = round_axis(bars[0].low, bars[-1].high)
    y = round_axis(0, max(bar.count for bar in bars), whole=True)
    shapes = []
    for bar in bars:
        left, right, top = x_of(x, bar.low), x_of(x, bar.high), y_of(y, bar.count)
        title = f"{bar.low:,g} to {bar.high:,g}: {bar.count:,}"
        shapes.append(
            f'<rect class="plot-bar" x="{left:.1f}" y="{top:.1f}" width="{max(0.5, right - left - 1):.1f}"'
            f' height="{HEIGHT - BOTTOM - top:.1f}"><title>{title}</title></rect>'
        )
    fullest = max(bars, key=lambda bar: bar.count)
    players = sum(bar.count for bar in bars)
    return frame(x, y, shapes, f"Ratings of {players:,} players; most between {fullest.low:,g} and {fullest.high:,g}")


def mean_rating(levels: Sequence[RatingLevels], start: float) -> str:
    """The mean rating of active players over time; the dashed line is a newcomer's rating."""
    if len(levels) < 2 or levels[0].at >= levels[-1].at:
        return ""
    begin, end = levels[0].at, levels[-1].at
    x = time_axis(begin, end)
    means = [level.mean for level in levels]
    y = round_axis(min(start, *means), max(start, *means))
    path = path_through((x_of(x, level.at), y_of(y, level.mean)) for level in levels)
    last = levels[-1]
    shapes = [
        line("plot-ideal", LEFT, y_of(y, start), WIDTH - RIGHT, y_of(y, start)),
        f'<path class="plot-line" d="{path}"/>',
        dot(x_of(x, last.at), y_of(y, last.mean), 4, f"{last.mean:,.2f}, {last.players:,} active players"),
    ]
    return frame(x, y, shapes, f"Mean rating from {means[0]:,.2f} to {means[-1]:,.2f}; newcomers have {start:,.2f}")


def time_axis(begin: float, end: float) -> Axis:
    """An axis of POSIX seconds, with dates at its ends and in the middle."""
    within_a_year = end - begin < 300 * DAY
    days = [dt.datetime.fromtimestamp(begin + (end - begin) * part, dt.UTC) for part in (0, 0.5, 1)]
    labels = [f"{day.day} {day:%b}" if within_a_year else f"{day:%b %Y}" for day in days]
    return Axis(begin, end, tuple((day.timestamp(), label) for day, label in zip(days, labels, strict=True)))


def calibrations(evaluations: Sequence[Evaluation]) -> str:
    """One picture of several systems' calibration, for a document."""
    rows = ceil(len(evaluations) / COLUMNS)
    parts = [
        f'<g transform="translate({index % COLUMNS * WIDTH} {index // COLUMNS * (HEIGHT + HEADING)})">'
        f'<text class="plot-title" x="{LEFT}" y="22">{escape(_headline(one))}</text>'
        f'<g transform="translate(0 {HEADING})">{calibration(one.calibration)}</g></g>'
        for index, one in enumerate(evaluations)
    ]
    size = f'viewBox="0 0 {COLUMNS * WIDTH} {rows * (HEIGHT + HEADING)}" width="{COLUMNS * WIDTH}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"


def course(points: Sequence[CoursePoint], other: Sequence[CoursePoint] = ()) -> str:
    """Log-loss over time; the dashed line is another system's, or that of knowing nothing if there is none."""
    if len(points) < 2:
        return ""
    dashed = [(point.until, point.log_loss) for point in other] or [(at, NOTHING_KNOWN) for at in (0, points[-1].until)]
    losses = [*(point.log_loss for point in points), *(loss for _, loss in dashed)]
    x, y = round_axis(0, points[-1].until, whole=True), round_axis(min(losses), max(losses))
    ideal = path_through((x_of(x, at), y_of(y, loss)) for at, loss in dashed)
    own = path_through((x_of(x, point.until), y_of(y, point.log_loss)) for point in points)
    last = points[-1]
    shapes = [
        f'<path class="plot-ideal" fill="none" d="{ideal}"/>',
        f'<path class="plot-line" d="{own}"/>',
        dot(x_of(x, last.until), y_of(y, last.log_loss), 4, f"{last.log_loss:.4f} at last"),
    ]
    return frame(x, y, shapes, f"Log-loss from {points[0].log_loss:.4f} to {last.log_loss:.4f}")


def courses(evaluations: Sequence[Evaluation]) -> str:
    """One picture of the systems' log-loss over time; the dashed line is that of knowing nothing."""
    drawn = [one for one in evaluations if one.course]
    if not drawn:
        return ""
    losses = [point.log_loss for one in drawn for point in one.course]
    x = round_axis(0, max(one.course[-1].until for one in drawn), whole=True)
    y = round_axis(min(losses), max(*losses, NOTHING_KNOWN))
    shapes = [line("plot-ideal", LEFT, y_of(y, NOTHING_KNOWN), WIDTH - RIGHT, y_of(y, NOTHING_KNOWN))]
    keys = []
    for number, one in enumerate(drawn):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        style = f'fill="none" stroke-width="2" stroke="{colour}" stroke-dasharray="{dash}"'
        path = path_through((x_of(x, point.until), y_of(y, point.log_loss)) for point in one.course)
        last = one.course[-1].log_loss
        shapes.append(f'<path {style} d="{path}"><title>{escape(one.system)}: {last:.4f} at last</title></path>')
        height = 20 + KEY * number
        keys.append(f'<path {style} d="M{WIDTH + 8} {height}h28"/>')
        keys.append(f'<text x="{WIDTH + 44}" y="{height + 5}">{escape(one.system)} {last:.4f}</text>')
    summary = "; ".join(
        f"{one.system} from {one.course[0].log_loss:.4f} to {one.course[-1].log_loss:.4f}" for one in drawn
    )
    chart = frame(x, y, shapes, f"Log-loss over time: {summary}")
    width, height = WIDTH + KEYS, max(HEIGHT, 20 + KEY * len(drawn))
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>\n{chart}{"".join(keys)}\n</svg>\n'


def _headline(one: Evaluation) -> str:
    return one.system if one.figures.slope is None else f"{one.system}: slope {one.figures.slope:.2f}"


def log_loss_over_time(points: Sequence[Sequence[float]]) -> str:
    """`points`: rows of Fits' `over_time`. Both lines; where the held-out part begins, a line stands."""
    if len(points) < 2 or points[0][0] >= points[-1][0]:
        return ""
    x = time_axis(points[0][0], points[-1][0])
    values = [value for _, _, *both in points for value in both]
    y = round_axis(min(values), max(values))
    old, new = (
        path_through((x_of(x, row[0]), y_of(y, row[column])) for row in points) for column in (2, 3)
    )  # fmt: skip
    shapes = [
        f'<path class="plot-other" fill="none" d="{old}"><title>defaults</title></path>',
        f'<path class="plot-line" fill="none" d="{new}"><title>fitted</title></path>',
    ]
    before = [row[0] for row in points if not row[1]]
    if before and before[-1] < points[-1][0]:
        split = x_of(x, before[-1])
        shapes.append(line("plot-split", split, TOP, split, HEIGHT - BOTTOM))
    last = points[-1]
    shapes.append(dot(x_of(x, last[0]), y_of(y, last[3]), 4, f"fitted: {last[3]:.3f}, defaults: {last[2]:.3f}"))
    held_out = [row for row in points if row[1]]
    better = sum(row[3] < row[2] for row in held_out)
    return frame(x, y, shapes, f"Log-loss over time: fitted is lower in {better} of {len(held_out)} held-out stretches")
