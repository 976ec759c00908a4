"""The results of files in the order of time. They wait in a temporary file, so that memory stays flat.

The file is a private database of SQLite, which deletes it. Results that end at the same time keep the order of their
file; the order is turned round in a file whose times descend. Of days alone, the results of a day get increasing
seconds in this order, and results without an id that are the same in one file count as several matches.
"""

from __future__ import annotations

import datetime as dt
import pickle
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO

from ranking.database.microseconds import microseconds_of
from ranking.result_files.options import BadFile, FileOptions
from ranking.rules.report import Report
from ranking.validation.report_files import ReportFile, ReportLine, shift_report
from ranking.validation.report_outlines import Outline

_SECOND = dt.timedelta(seconds=1)


class SortedReports:
    """Reads files one after the other; then it can be iterated. `outline`: of what was read."""

    def __init__(self, *, most: int | None = None) -> None:
        self.outline, self._most, self._position, self._files = Outline(), most, 0, 0
        self._rows = sqlite3.connect("", isolation_level=None)  # "": a temporary file
        self._rows.execute("PRAGMA journal_mode = OFF")
        self._rows.execute("CREATE TABLE line (ended_at INTEGER, position INTEGER, file INTEGER, line BLOB)")
        self._rows.execute("BEGIN")

    def add(
        self, file: IO[bytes], name: str, options: FileOptions, progress: Callable[[], object] | None = None
    ) -> None:
        """Read a file. Raises BadFile: nothing of it is of use then, nor of the files before it."""
        reports, first, previous, descents, ascents = ReportFile(file, name, options), self._position, None, 0, 0
        for line in reports.read():
            self.outline.add(line)
            if self._most is not None and self.outline.lines > self._most:
                raise BadFile(f"{name} has more than {self._most:,} results; manage.py import_matches takes them all.")
            if line.report is not None:
                ended_at = microseconds_of(line.report.ended_at)
                descents += previous is not None and ended_at < previous
                ascents += previous is not None and ended_at > previous
                previous = ended_at
                self._position += 1
                row = (ended_at, self._position, self._files, pickle.dumps(line, pickle.HIGHEST_PROTOCOL))
                self._rows.execute("INSERT INTO line VALUES (?, ?, ?, ?)", row)
            if progress is not None:
                progress()
        if descents > ascents:
            turn = "UPDATE line SET position = ? - position WHERE position > ?"
            self._rows.execute(turn, (first + self._position + 1, first))
        self._files += 1
        self.outline.close(reports)

    def __iter__(self) -> Iterator[ReportLine]:
        """The good lines in the order of time."""
        day: dt.datetime | None = None
        for file, row in self._rows.execute("SELECT file, line FROM line ORDER BY ended_at, position"):
            line: ReportLine = pickle.loads(row)  # noqa: S301 - written above
            if line.report is None or not line.day_alone:
                yield line
                continue
            if line.report.ended_at != day:
                day, within = line.report.ended_at, _Day()
            yield replace(line, report=within.place(line.report, file if line.has_made_id else None))


class _Day:
    """The results of one day so far: by id, what they say, with their order within the day."""

    def __init__(self) -> None:
        self._count = 0
        self._seen: dict[str, tuple[str, int]] = {}
        self._times: Counter[tuple[int, str]] = Counter()  # by file and made id: how often

    def place(self, report: Report, file: int | None) -> Report:
        """The report at its time within the day. A result that repeats an id has the time of the first one.

        `file`: the number of the one in which it stands, if the id is made: files may overlap.
        """
        if file is not None:
            self._times[file, report.id] += 1
            number = self._times[file, report.id]
            report = report if number == 1 else replace(report, id=f"{report.id}-{number}")
        digest = report.digest()
        first, order = self._seen.setdefault(report.id, (digest, self._count))
        if first != digest or order == self._count:
            order, self._count = self._count, self._count + 1
        return shift_report(report, order * _SECOND)
