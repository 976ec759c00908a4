"""Reads CSV files of results: any usual separator, quotes, blank lines, a byte order mark, Windows' line ends. Pure."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import IO, Any

from ranking.result_files.headings import Columns, find_columns, read_match, read_players
from ranking.result_files.options import BadFile, FileOptions

_SEPARATORS = ",;\t|"
_MOST_PLAYERS = 400  # rows of one match: twice what a match may have, so that it is refused as such

Row = tuple[int, list[str] | str]  # the number of the line in which it begins, and its cells, or what is wrong with it


class CSVResults:
    """The results of a CSV file; `unused` are the headings that mean nothing. Raises BadFile as soon as it is made."""

    def __init__(self, file: IO[bytes], longest: int, options: FileOptions) -> None:
        lines = _Lines(file, longest)
        headings = _first_line(lines)
        self._separator = max(_SEPARATORS, key=headings.count)
        names = _read_headings(headings, self._separator)
        while names and not names[-1]:
            names.pop()
        self._lines, self._width = lines, len(names)
        self.columns: Columns = find_columns(names, options.columns)
        self.unused: Sequence[str] = self.columns.unused

    def read(self) -> Iterator[tuple[int, dict[str, Any] | str]]:
        """The number of the line in which each result begins, with the result or with what is wrong with it."""
        if self.columns.has_player_rows:
            yield from self._read_matches_of_rows()
            return
        for number, row in self._rows():
            if isinstance(row, str):
                yield number, row
                continue
            try:
                yield number, read_match(self.columns, row)
            except ValueError as error:
                yield number, str(error)

    def _read_matches_of_rows(self) -> Iterator[tuple[int, dict[str, object] | str]]:
        """Join the rows that follow each other with the same id. A bad row spoils the matches on both sides of it."""
        place = self.columns.match["id"]
        players: list[list[str]] = []
        begin = last = bad = 0  # numbers of lines
        for number, row in self._rows():
            if isinstance(row, str):
                yield number, row
                bad = number
                continue
            if players and row[place] != players[0][place]:
                yield begin, self._match_of_rows(players, bad)
                bad = bad if bad > last else 0
                players = []
            begin, last = begin if players else number, number
            if len(players) < _MOST_PLAYERS:
                players.append(row)
        if players:
            yield begin, self._match_of_rows(players, bad)

    def _match_of_rows(self, players: list[list[str]], bad: int) -> dict[str, object] | str:
        if bad:
            return f"line {bad}, which is bad, may belong to this match."
        if not players[0][self.columns.match["id"]]:
            return "the id of the match is empty."
        try:
            return read_players(self.columns, players)
        except ValueError as error:
            return str(error)

    def _rows(self) -> Iterator[Row]:
        reader = csv.reader(self._lines, delimiter=self._separator, skipinitialspace=True, strict=True)
        while True:
            number = self._lines.number + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield self._bad_row(number, f"this isn't CSV: {error}. Does a quote that begins here end?")
                continue
            cells = _clean(cells)
            if not any(cells):
                continue
            if len(cells) < self._width or any(cells[self._width :]):
                yield self._bad_row(number, f"this line has {len(cells)} cells, and the headings are {self._width}.")
                continue
            yield number, cells[: self._width]

    def _bad_row(self, number: int, sentence: str) -> Row:
        """The row; raises BadFile if it has several lines, because an open quote swallows good ones."""
        if (last := self._lines.number) > number:
            raise BadFile(f"line {number}: {sentence} It takes the lines to {last} with it.")
        return number, sentence


class _Lines:
    """The lines of a file as text; `number` of the last one. Raises BadFile."""

    def __init__(self, file: IO[bytes], longest: int) -> None:
        self._file, self._longest, self.number = file, longest, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._longest + 2)
        if not line:
            raise StopIteration
        self.number += 1
        if len(line) > self._longest + 1:
            raise BadFile(f"line {self.number}: the line is over {self._longest:,} bytes.")
        try:
            return line.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadFile(f"line {self.number}: this isn't UTF-8 text; save the file as “CSV UTF-8”.") from None


def _first_line(lines: Iterator[str]) -> str:
    """The line of headings: the first one that isn't blank, nor Excel's `sep=;`."""
    for line in lines:
        if line.strip() and not line.casefold().startswith("sep="):
            return line
    raise BadFile("has no line with headings.")


def _read_headings(line: str, separator: str) -> list[str]:
    try:
        return _clean(next(csv.reader([line], delimiter=separator, skipinitialspace=True), []))
    except csv.Error as error:
        raise BadFile(f"has headings that aren't CSV: {error}.") from None


def _clean(cells: list[str]) -> list[str]:
    return [cell.strip() for cell in cells]
