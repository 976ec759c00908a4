"""Reads files of match reports: JSON Lines, a JSON array, or CSV (ranking.result_files), checked as posted ones are."""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from rest_framework.exceptions import ValidationError

from ranking.result_files.csv_results import CSVResults
from ranking.result_files.formats import HEAD, check_result, find_format
from ranking.result_files.json_results import split_array, split_lines
from ranking.result_files.options import CSV, JSON_ARRAY, BadFile, FileOptions
from ranking.result_files.played_times import PlayedTimes, UnknownFormat
from ranking.result_files.result_ids import made_id, trim_ids
from ranking.rules.report import BadReport, Report, check_places
from ranking.validation.json_body import LARGEST_BODY, read_json
from ranking.validation.match_report import read_report
from ranking.validation.problems import field_errors

_TIMES = ("started_at", "ended_at")


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A result of a file, by the line in which it begins: a report, or a sentence that says what is wrong with it.

    `day_alone`: the file says the day, and no time. `has_made_id`: the file has no id of it. `trimmable`: it would be
    in order if its ids were trimmed.
    """

    number: int
    report: Report | None = None
    error: str = ""
    file: str = ""
    day_alone: bool = False
    has_made_id: bool = False
    trimmable: bool = False


class ReportFile:
    """A file that is read once. `unused`: headings of CSV that mean nothing; `assumed_utc`: see PlayedTimes.

    Raises BadFile, with the file's name, here or while it is read.
    """

    def __init__(self, file: IO[bytes], name: str, options: FileOptions = FileOptions()) -> None:  # noqa: B008 - frozen
        self.name, self._options, self._file = name, options, file
        self._times = PlayedTimes(options.date_format, options.zone)
        self._first = True
        self.unused: Sequence[str] = ()
        self._csv: CSVResults | None = None
        try:
            head = file.read(HEAD)
            file.seek(0)
            self.format = find_format(head, options.format)
            if self.format == CSV:
                self._csv = CSVResults(file, LARGEST_BODY, options)
                self.unused = self._csv.unused
                if "mode" not in self._csv.columns.match and not options.mode:
                    raise BadFile("doesn't say in which mode its matches were played; name the mode (--mode).")
        except BadFile as bad:
            raise _named(name, bad) from None

    @property
    def assumed_utc(self) -> bool:
        return self._times.assumed_utc

    def read(self) -> Iterator[ReportLine]:
        try:
            for number, value in self._values():
                yield self._line(number, value)
                self._first = False
        except BadFile as bad:
            raise _named(self.name, bad) from None

    def _values(self) -> Iterator[tuple[int, object]]:
        """The number of each result's line, with its text, its value, or an error."""
        if self._csv is not None:
            for number, row in self._csv.read():
                yield number, ValueError(row) if isinstance(row, str) else row
        elif self.format == JSON_ARRAY:
            yield from split_array(self._file, LARGEST_BODY)
        else:
            for number, text in split_lines(self._file, LARGEST_BODY):
                yield number, ValueError(f"the line is over {LARGEST_BODY:,} bytes") if text is None else text

    def _line(self, number: int, value: object) -> ReportLine:
        if isinstance(value, ValueError):
            return self._fault(number, str(value))
        if isinstance(value, bytes):
            try:
                value = read_json(value)
            except ValueError as error:
                return self._fault(number, f"not JSON: {error}")
            if self._first and self.format == JSON_ARRAY:
                check_result(value)
        try:
            return self._read(number, value)
        except UnknownFormat as unknown:
            if self._first:
                raise BadFile(f"line {number}: {unknown}") from None
            return self._fault(number, str(unknown))

    def _read(self, number: int, value: object) -> ReportLine:
        has_made_id = day_alone = False
        if isinstance(value, dict):
            value = dict(value)
            if self._options.mode and not value.get("mode"):
                value["mode"] = self._options.mode
            if value.get("id") in (None, ""):
                value["id"], has_made_id = made_id(value), True
            try:
                day_alone = self._read_times(value)
            except UnknownFormat:
                raise
            except ValueError as error:
                return self._fault(number, str(error))
            _drop_empty_names(value)
            if self._options.trim:
                value = trim_ids(value)
        try:
            report = read_report(value)
            check_places(report)
        except BadReport as bad:
            return self._fault(number, str(bad))
        except ValidationError as error:
            faults = field_errors(error.detail)
            sentences = [f"{fault['field']}: {fault['detail']}".removeprefix(": ") for fault in faults]
            return self._fault(number, " ".join(sentences), trimmable=self._trimmable(value))
        return ReportLine(number, report, "", self.name, day_alone, has_made_id)

    def _fault(self, number: int, sentence: str, *, trimmable: bool = False) -> ReportLine:
        return ReportLine(number, error=sentence, file=self.name, trimmable=trimmable)

    def _read_times(self, value: dict[str, object]) -> bool:
        """Put the times into the API's form; returns whether the one that counts is a day alone. Raises ValueError."""
        alone = False
        for name in _TIMES:
            if value.get(name) in (None, ""):
                value.pop(name, None)
                continue
            try:
                value[name], alone = self._times.read(value[name])
            except UnknownFormat as unknown:
                raise UnknownFormat(f"{name}: {unknown}") from None
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return alone

    def _trimmable(self, value: object) -> bool:
        try:
            trimmed = trim_ids(value)
            return trimmed != value and bool(read_report(trimmed))
        except ValidationError:
            return False


def _drop_empty_names(value: dict[str, object]) -> None:
    """An empty name is no name, in a file."""
    teams = value.get("teams")
    for team in teams if isinstance(teams, list) else ():
        players = team.get("players") if isinstance(team, dict) else None
        for player in players if isinstance(players, list) else ():
            if isinstance(player, dict) and player.get("name", "x") in (None, ""):
                del player["name"]


def _named(name: str, bad: BadFile) -> BadFile:
    """The sentence with the file's name before it: it begins with the line, or with a verb."""
    return BadFile(f"{name}{',' if str(bad).startswith('line ') else ''} {bad}")


@contextmanager
def open_results(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for ReportFile, which begins it twice: a pipe is copied to a temporary file. Raises OSError."""
    with path.open("rb") as file, tempfile.TemporaryFile() as copy:
        if file.seekable():
            yield file
            return
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        yield copy


def read_lines(path: Path, options: FileOptions = FileOptions()) -> Iterator[ReportLine]:  # noqa: B008 - frozen
    """Yield every result of a file. Raises OSError, BadFile."""
    with open_results(path) as file:
        yield from ReportFile(file, str(path), options).read()


def shift_report(report: Report, by: dt.timedelta) -> Report:
    """Return the report with its times moved by a time span."""
    started_at = report.started_at + by if report.started_at else None
    return replace(report, ended_at=report.ended_at + by, started_at=started_at)
