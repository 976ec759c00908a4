"""Writes reports as one Markdown table with a column each, as in docs/simulation.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from matchmaking.simulation.reports import ONE_SIDED, SETTLED, Knowledge, SimulationReport

NONE = "–"


def table(reports: Sequence[SimulationReport]) -> str:
    """The table; its columns are named by what the reports differ in."""
    rows = [["", *titles(reports)], *([name, *row] for name, row in cells(reports))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(reports) + 1)]
    lines = [_line(row, widths) for row in rows]
    dashes = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    return "\n".join([lines[0], _line(dashes, widths), *lines[1:]])


def cells(reports: Sequence[SimulationReport]) -> list[tuple[str, list[str]]]:
    """The table's rows: a name, and a cell for each report."""
    return [(name, list(row)) for name, *row in _rows(reports)]


def titles(reports: Sequence[SimulationReport]) -> list[str]:
    """A title for each report: the strategy, the system, or both if both differ."""
    names = ("strategy", "system")
    distinct = [name for name in names if len({getattr(report.scenario, name) for report in reports}) > 1]
    return [", ".join(str(getattr(report.scenario, name)) for name in distinct or ["strategy"]) for report in reports]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0].ljust(widths[0])]
    padded += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return f"| {' | '.join(padded)} |"


def _rows(reports: Sequence[SimulationReport]) -> Iterator[list[str]]:
    def row(name: str, cell: Callable[[SimulationReport], str]) -> list[str]:
        return [name, *(cell(report) for report in reports)]

    yield row("hours simulated", lambda report: f"{report.hours:g}")
    yield row("matches", lambda report: f"{report.matches:,}")
    yield row("people who played", lambda report: f"{report.played:,} of {report.scenario.population:,}")
    yield row("lockouts; missed accepts", lambda report: f"{report.locked_out:,}; {report.missed:,}")
    for of in dict.fromkeys(wait.of for report in reports for wait in report.waits):
        yield row(f"wait of {of}: p50 / p95 / max", lambda report, of=of: _wait(report, of))  # type: ignore[misc]
    yield row("oldest ticket", lambda report: seconds(report.oldest))
    yield row("difference of team means, points", lambda report: _quality(report, "difference", ".2f"))
    yield row("weakest to strongest, points", lambda report: _quality(report, "spread", ".2f"))
    yield row("lowest to highest, percentiles", lambda report: _quality(report, "distance", ".1f"))
    yield row("favourite’s chance, by ratings", lambda report: _quality(report, "favourite", ".1%"))
    yield row("favourite’s chance, truly", lambda report: _quality(report, "truly", ".1%"))
    yield row(f"matches above {ONE_SIDED:.0%}, truly", lambda report: _quality(report, "one_sided", ".1%"))
    for matches in sorted({known.matches for report in reports for known in report.known}):
        yield row(
            f"rank correlation, percentiles off after {matches:,}",
            lambda report, matches=matches: _known(report, matches),  # type: ignore[misc]
        )
    yield row(f"matches until half are within {SETTLED:g} percentiles", lambda report: _count(report.settled))
    yield row("least matches, by information", lambda report: f"{report.least_matches:.1f}")
    yield row("inflation, points", lambda report: NONE if report.inflation is None else f"{report.inflation:+.2f}")


def seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f} s"


def _count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def _wait(report: SimulationReport, of: str) -> str:
    row = next((wait for wait in report.waits if wait.of == of), None)
    if row is None or not row.waits:
        return NONE
    return f"{row.median:,.0f} / {row.p95:,.0f} / {row.longest:,.0f} s"


def _quality(report: SimulationReport, name: str, how: str) -> str:
    value = getattr(report.quality, name, None)
    return NONE if value is None else format(value, how).replace("%", " %")


def _known(report: SimulationReport, matches: int) -> str:
    found: Knowledge | None = next((known for known in report.known if known.matches == matches), None)
    if found is None:
        return NONE
    return f"{NONE if found.correlation is None else f'{found.correlation:.3f}'}, {found.off:.1f}"
