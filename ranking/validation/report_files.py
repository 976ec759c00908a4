"""Reads files of match reports: JSON Lines, one report a line."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rest_framework.exceptions import ValidationError

from ranking.rules.report import Report
from ranking.validation.json_body import LARGEST_BODY, read_json
from ranking.validation.match_report import read_report
from ranking.validation.problems import field_errors


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of a file: a report, or a sentence that says what is wrong with the line."""

    number: int
    report: Report | None = None
    error: str = ""


def read_lines(path: Path) -> Iterator[ReportLine]:
    """Yield every line that isn't blank."""
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                yield _read_line(number, text)


def _read_line(number: int, text: bytes) -> ReportLine:
    if len(text) > LARGEST_BODY:
        return ReportLine(number, error=f"the line is over {LARGEST_BODY:,} bytes")
    try:
        return ReportLine(number, read_report(read_json(text)))
    except ValidationError as error:
        faults = field_errors(error.detail)
        sentences = [f"{fault['field']}: {fault['detail']}".removeprefix(": ") for fault in faults]
        return ReportLine(number, error=" ".join(sentences))
    except ValueError as error:
        return ReportLine(number, error=f"not JSON: {error}")


@dataclass(frozen=True, slots=True)
class Outline:
    """A summary of files: their modes with the shapes of the teams, and when the last match ended."""

    lines: int
    shapes: Mapping[str, tuple[int, int, int]]  # team count, smallest and largest team
    anchor: Report | None  # the first valid report
    last_end: dt.datetime | None


def read_outline(paths: Iterable[Path]) -> Outline:
    """Read the files once; raises ValueError if a mode has matches with different numbers of teams."""
    shapes: dict[str, tuple[int, int, int]] = {}
    lines, anchor, last_end = 0, None, None
    for path in paths:
        for line in read_lines(path):
            lines += 1
            report = line.report
            if report is None:
                continue
            sizes = [len(team.players) for team in report.teams]
            count, least, most = shapes.get(report.mode, (len(sizes), min(sizes), max(sizes)))
            if count != len(sizes):
                raise ValueError(
                    f"{path}, line {line.number}: {report.mode} has matches of {count} and of {len(sizes)} teams."
                )
            shapes[report.mode] = (count, min(least, *sizes), max(most, *sizes))
            anchor = anchor or report
            last_end = max(filter(None, (last_end, report.ended_at)))
    return Outline(lines, shapes, anchor, last_end)


def shift_report(report: Report, by: dt.timedelta) -> Report:
    """Return the report with its times moved by a time span."""
    started_at = report.started_at + by if report.started_at else None
    return replace(report, ended_at=report.ended_at + by, started_at=started_at)
