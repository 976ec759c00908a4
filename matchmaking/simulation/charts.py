"""Draws up to four reports side by side as SVG; style sheets colour the classes of their shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from matchmaking.simulation.reports import BANDS, SimulationReport, WaitRow
from matchmaking.simulation.tables import titles
from ranking.svg import TOP, WIDTH, Axis, Plot, round_axis, sheet

MOST = 4
MINUTE = 60.0
STEP = 0.05  # of a favourite's chance
PARTS = 32  # of an evening
HEADINGS = (
    ("Minutes of waiting by percentile", "Dot: half wait less. Line up to: 95 of 100 wait less. Ring: the longest."),
    ("Oldest ticket over time", "Minutes that the longest wait lasted, by hours since the beginning."),
    ("How well ratings know true skill", "Rank correlation with true skill, by matches played. 1: the same order."),
    ("How uneven matches truly were", "Per cent of matches, by their favourite's true chance."),
    ("Mean rating over time", "Of everybody who has played, by hours since the beginning."),
)

# For a picture that stands alone; pages have style sheets of their own.
STYLE = """
svg { font: 14px system-ui, sans-serif; --ink: #15171c; --quiet: #5b5f68; --line: #e2dfd6; --paper: #fff;
  --c0: #3d3bd0; --c1: #a5450b; --c2: #0b6b63; --c3: #a81d5b; }
@media (prefers-color-scheme: dark) { svg { --ink: #eceff4; --quiet: #9aa3b1; --line: #3a4150; --paper: #161a21;
  --c0: #a3a6ff; --c1: #ffac5e; --c2: #62d6c8; --c3: #ff8fbe; } }
text { fill: var(--quiet); } .plot-title { fill: var(--ink); font-weight: 700; font-size: 15px; }
.plot-back { fill: var(--paper); } .plot-grid { stroke: var(--line); }
.plot-row { fill: none; stroke-width: 2.5; stroke-linejoin: round; } .plot-key { font-weight: 650; }
.plot-ring { fill: none; stroke-width: 1.5; }
.of-0 { stroke: var(--c0); } .of-1 { stroke: var(--c1); stroke-dasharray: 7 4; } .of-2 { stroke: var(--c2); }
.of-3 { stroke: var(--c3); stroke-dasharray: 2 3; } .plot-ring { stroke-dasharray: none; }
.fill-0 { fill: var(--c0); } .fill-1 { fill: var(--c1); } .fill-2 { fill: var(--c2); } .fill-3 { fill: var(--c3); }
"""

Points = Sequence[tuple[float, float]]


def charts(reports: Sequence[SimulationReport]) -> list[str]:
    """A chart for each of HEADINGS; an empty text if there is nothing to draw."""
    names = titles(reports)
    rated = [[(moment.at / 3_600, moment.mean) for moment in report.moments] for report in reports]
    return [
        _bands(reports, names),
        _lines([_oldest(report) for report in reports], names, "Oldest ticket"),
        _lines([_correlations(report) for report in reports], names, "Rank correlation"),
        _lines([_shares(report) for report in reports], names, "Share of matches", mark=_chance),
        _lines(rated, names, "Mean rating", from_zero=False),
    ]


def picture(reports: Sequence[SimulationReport]) -> str:
    """All charts as one picture, for a document."""
    drawn = [(heading, chart) for (heading, _), chart in zip(HEADINGS, charts(reports), strict=True) if chart]
    return sheet(drawn, STYLE, '<rect class="plot-back" width="100%" height="100%" rx="8"/>')


def _bands(reports: Sequence[SimulationReport], names: Sequence[str]) -> str:
    """Waits by percentile band: median, 95th percentile, longest."""
    kinds = [f"percentile {low}–{high}" for low, high in BANDS]
    rows = [{wait.of: wait for wait in report.waits} for report in reports]
    longest = max((row[name].longest or 0 for row in rows for name in kinds), default=0)
    if not longest:
        return ""
    ticks = (*((place + 0.5, f"{low}–{high}") for place, (low, high) in enumerate(BANDS)), (float(len(BANDS)), ""))
    plot = Plot(Axis(0, len(BANDS), ticks), round_axis(0, longest / MINUTE))
    shapes: list[str] = []
    for number, row in enumerate(rows):
        for place, name in enumerate(kinds):
            at = plot.x_of(place + 0.5 + 0.24 * (number - (len(rows) - 1) / 2))
            shapes += _wait(row[name], number, at, plot)
    longest_waits = "; ".join(_longest_waits(rows, names, kinds))
    return plot.frame([*shapes, *_keys(names)], f"Waits by percentile: {longest_waits}")


def _wait(row: WaitRow, number: int, at: float, plot: Plot) -> Iterator[str]:
    if row.median is None or row.p95 is None or row.longest is None:
        return
    half, most, end = (plot.y_of(value / MINUTE) for value in (row.median, row.p95, row.longest))
    title = f"<title>{escape(row.of)}: {row.median:,.0f} s, {row.p95:,.0f} s, at most {row.longest:,.0f} s</title>"
    yield f'<path class="plot-row of-{number}" d="M{at:.1f} {half:.1f}L{at:.1f} {most:.1f}"/>'
    yield f'<circle class="fill-{number}" cx="{at:.1f}" cy="{half:.1f}" r="4">{title}</circle>'
    yield f'<circle class="plot-ring of-{number}" cx="{at:.1f}" cy="{end:.1f}" r="3"/>'


def _longest_waits(rows: Sequence[dict[str, WaitRow]], names: Sequence[str], kinds: Sequence[str]) -> Iterator[str]:
    """Phrases for screen readers, one for each report and kind of wait."""
    for row, name in zip(rows, names, strict=True):
        for kind in kinds:
            if (longest := row[kind].longest) is not None:
                yield f"{name}, {kind}, at most {longest:,.0f} s"


def _plain(value: float) -> str:
    return f"{value:,g}"


def _chance(value: float) -> str:
    return f"{100 * value:.0f}"


def _lines(
    series: Sequence[Points],
    names: Sequence[str],
    subject: str,
    *,
    mark: Callable[[float], str] = _plain,
    from_zero: bool = True,
) -> str:
    """A line for each report."""
    points = [point for each in series for point in each]
    if max((len(each) for each in series), default=0) < 2:
        return ""
    across, up = [one for one, _ in points], [other for _, other in points]
    x = round_axis(min(across), max(across))
    x = Axis(x.low, x.high, tuple((value, mark(round(value, 9))) for value, _ in x.ticks))
    plot = Plot(x, round_axis(min(0.0, *up) if from_zero else min(up), max(up)))
    shapes = [plot.curve(f"plot-row of-{number}", each, filled=True) for number, each in enumerate(series) if each]
    ends = [f"{name} {each[-1][1]:,.2f} at the end" for name, each in zip(names, series, strict=True) if each]
    return plot.frame([*shapes, *_keys(names)], f"{subject}: {'; '.join(ends)}")


def _keys(names: Sequence[str]) -> Iterable[str]:
    """The legend: a colour for each name, from the right."""
    at = float(WIDTH - 14)
    for number, name in reversed(list(enumerate(names))):
        width = 8.0 * len(name)
        yield (
            f'<text class="plot-key fill-{number}" x="{at:.0f}" y="{TOP - 2}" text-anchor="end">{escape(name)}</text>'
            f'<path class="plot-row of-{number}" d="M{at - width - 26:.0f} {TOP - 6}h20"/>'
        )
        at -= width + 38


def _oldest(report: SimulationReport) -> Points:
    """The longest wait in each of PARTS of the evening: the part's middle in hours, the wait in minutes."""
    length = report.hours / PARTS
    longest: dict[int, float] = {}
    for moment in report.moments:
        part = int(moment.at / 3_600 / length)
        longest[part] = max(longest.get(part, 0.0), moment.oldest / MINUTE)
    return [((part + 0.5) * length, value) for part, value in sorted(longest.items())]


def _correlations(report: SimulationReport) -> Points:
    return [(float(known.matches), known.correlation) for known in report.known if known.correlation is not None]


def _shares(report: SimulationReport) -> Points:
    """Percentages of matches by the true chance of their favourite."""
    counts = [0] * round(0.5 / STEP)
    for chance in report.chances:
        counts[min(len(counts) - 1, int((chance - 0.5) / STEP))] += 1
    total = max(1, len(report.chances))
    return [(0.5 + STEP * (index + 0.5), 100 * count / total) for index, count in enumerate(counts) if report.chances]
