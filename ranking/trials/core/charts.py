"""Draws the charts of evaluations and fits as SVG; style sheets colour the classes of their shapes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from html import escape
from math import floor, log, sqrt

from ranking import svg
from ranking.svg import BOTTOM, HEIGHT, WIDTH, Axis, Plot, bar, percent, percents, round_axis
from ranking.trials.core.accuracy import Bin
from ranking.trials.core.inflation import HistogramBar, RatingLevels
from ranking.trials.core.predictions import CoursePoint
from ranking.trials.core.timeline import DAY
from ranking.trials.core.trials import Evaluation

NOTHING_KNOWN = log(2)  # the log-loss of a coin toss
COLOURS = ("#6366f1", "#ea580c", "#0d9488", "#c026d3", "#78808e", "#b7791f", "#0284c7", "#e11d48")
DASHES = ("none", "6 3")
KEYS, KEY = 240, 22  # width of the key of a picture, height of its lines

# For a picture that stands alone; pages have style sheets of their own.
STYLE = (
    svg.STYLE
    + """text { fill: var(--quiet); } .plot-title { fill: var(--ink); font-weight: 700; font-size: 15px; }
.plot-grid { stroke: var(--line); } .plot-ideal { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot-reach { stroke: var(--accent); stroke-width: 2; opacity: .45; } .plot-dot { fill: var(--accent); }
"""
)


def calibration(bins: Sequence[Bin]) -> str:
    """The share of favourites that won, by their chance; the dashed line is perfect calibration."""
    if not bins:
        return ""
    lowest = floor(min(0.4, *(b.share for b in bins)) * 10) / 10  # the same axis for all charts, mostly
    plot = Plot(percents(0.5), percents(lowest))
    largest = max(b.count for b in bins)
    shapes = [plot.curve("plot-ideal", [(0.5, 0.5), (1.0, 1.0)])]
    for b in bins:
        title = f"Favourites with {percent(b.chance)}: {percent(b.share)} of {b.count:,} won"
        shapes.append(plot.curve("plot-reach", [(b.chance, max(lowest, b.low)), (b.chance, b.high)]))
        shapes.append(plot.dot(b.chance, b.share, 2.5 + 4 * sqrt(b.count / largest), title))
    description = "; ".join(f"{percent(b.chance)} promised, {percent(b.share)} won" for b in bins)
    return plot.frame(shapes, f"Calibration: {description}")


def distribution(bars: Sequence[HistogramBar]) -> str:
    """A histogram of players by rating."""
    if not bars:
        return ""
    counts = [each.count for each in bars]
    plot, shapes = Plot(round_axis(bars[0].low, bars[-1].high), round_axis(0, max(counts), whole=True)), []
    for each in bars:
        left, right, top = plot.x_of(each.low), plot.x_of(each.high), plot.y_of(each.count)
        title = f"{each.low:,g} to {each.high:,g}: {each.count:,}"
        shapes.append(bar("plot-bar", left, top, max(0.5, right - left - 1), HEIGHT - BOTTOM - top, title))
    fullest, players = bars[counts.index(max(counts))], sum(counts)
    return plot.frame(shapes, f"Ratings of {players:,} players; most between {fullest.low:,g} and {fullest.high:,g}")


def mean_rating(levels: Sequence[RatingLevels], start: float) -> str:
    """The mean rating of active players over time; the dashed line is a newcomer's rating."""
    if len(levels) < 2 or levels[0].at >= levels[-1].at:
        return ""
    means, last = [level.mean for level in levels], levels[-1]
    plot = Plot(time_axis(levels[0].at, last.at), round_axis(min(start, *means), max(start, *means)))
    shapes = [
        plot.across("plot-ideal", start),
        plot.curve("plot-line", [(level.at, level.mean) for level in levels], filled=True),
        plot.dot(last.at, last.mean, 4, f"{last.mean:,.2f}, {last.players:,} active players"),
    ]
    return plot.frame(shapes, f"Mean rating from {means[0]:,.2f} to {means[-1]:,.2f}; newcomers have {start:,.2f}")


def time_axis(begin: float, end: float) -> Axis:
    """An axis of POSIX seconds, with dates at its ends and in the middle."""
    within_a_year = end - begin < 300 * DAY
    days = [dt.datetime.fromtimestamp(begin + (end - begin) * part, dt.UTC) for part in (0, 0.5, 1)]
    labels = [f"{day.day} {day:%b}" if within_a_year else f"{day:%b %Y}" for day in days]
    return Axis(begin, end, tuple((day.timestamp(), label) for day, label in zip(days, labels, strict=True)))


def calibrations(evaluations: Sequence[Evaluation]) -> str:
    """One picture of several systems' calibration, for a document."""
    return svg.sheet([(_headline(one), calibration(one.calibration)) for one in evaluations], STYLE)


def course(points: Sequence[CoursePoint], other: Sequence[CoursePoint] = ()) -> str:
    """Log-loss over time; the dashed line is another system's, or that of knowing nothing if there is none."""
    if len(points) < 2:
        return ""
    dashed = [(point.until, point.log_loss) for point in other] or [(at, NOTHING_KNOWN) for at in (0, points[-1].until)]
    losses = [*(point.log_loss for point in points), *(loss for _, loss in dashed)]
    last = points[-1]
    plot = Plot(round_axis(0, last.until, whole=True), round_axis(min(losses), max(losses)))
    shapes = [
        plot.curve("plot-ideal", dashed),
        plot.curve("plot-line", [(point.until, point.log_loss) for point in points], filled=True),
        plot.dot(last.until, last.log_loss, 4, f"{last.log_loss:.4f} at last"),
    ]
    return plot.frame(shapes, f"Log-loss from {points[0].log_loss:.4f} to {last.log_loss:.4f}")


def courses(evaluations: Sequence[Evaluation]) -> str:
    """One picture of the systems' log-loss over time; the dashed line is that of knowing nothing."""
    drawn = [one for one in evaluations if one.course]
    if not drawn:
        return ""
    losses = [point.log_loss for one in drawn for point in one.course]
    x = round_axis(0, max(one.course[-1].until for one in drawn), whole=True)
    plot = Plot(x, round_axis(min(losses), max(*losses, NOTHING_KNOWN)))
    shapes = [plot.across("plot-ideal", NOTHING_KNOWN)]
    keys = []
    for number, one in enumerate(drawn):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        style = f'fill="none" stroke-width="2" stroke="{colour}" stroke-dasharray="{dash}"'
        path = plot.path((point.until, point.log_loss) for point in one.course)
        last = one.course[-1].log_loss
        shapes.append(f'<path {style} d="{path}"><title>{escape(one.system)}: {last:.4f} at last</title></path>')
        height = 20 + KEY * number
        keys.append(f'<path {style} d="M{WIDTH + 8} {height}h28"/>')
        keys.append(f'<text x="{WIDTH + 44}" y="{height + 5}">{escape(one.system)} {last:.4f}</text>')
    summary = "; ".join(
        f"{one.system} from {one.course[0].log_loss:.4f} to {one.course[-1].log_loss:.4f}" for one in drawn
    )
    chart = plot.frame(shapes, f"Log-loss over time: {summary}")
    return svg.document(WIDTH + KEYS, max(HEIGHT, 20 + KEY * len(drawn)), STYLE, [chart + "".join(keys)])


def _headline(one: Evaluation) -> str:
    return one.system if one.figures.slope is None else f"{one.system}: slope {one.figures.slope:.2f}"


def log_loss_over_time(points: Sequence[Sequence[float]]) -> str:
    """`points`: rows of Fits' `over_time`. Both lines; where the held-out part begins, a line stands."""
    if len(points) < 2 or points[0][0] >= points[-1][0]:
        return ""
    values = [value for _, _, *both in points for value in both]
    plot = Plot(time_axis(points[0][0], points[-1][0]), round_axis(min(values), max(values)))
    shapes = [
        plot.curve(kind, [(row[0], row[column]) for row in points], title)
        for kind, column, title in (("plot-other", 2, "defaults"), ("plot-line", 3, "fitted"))
    ]
    before = [row[0] for row in points if not row[1]]
    if before and before[-1] < points[-1][0]:
        shapes.append(plot.upright("plot-split", before[-1]))
    last = points[-1]
    shapes.append(plot.dot(last[0], last[3], 4, f"fitted: {last[3]:.3f}, defaults: {last[2]:.3f}"))
    held_out = [row for row in points if row[1]]
    better = sum(row[3] < row[2] for row in held_out)
    return plot.frame(shapes, f"Log-loss over time: fitted is lower in {better} of {len(held_out)} held-out stretches")
