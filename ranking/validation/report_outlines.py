"""What files of results hold, seen before any of it is recorded: modes and their shapes, and what may be a mistake."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ranking.rules.plausibility import NOBODY
from ranking.rules.report import Report, size_of
from ranking.validation.report_files import ReportFile, ReportLine

MOST_FAULTS = 20  # lines of which the sentences are kept
_RARE = 0.05  # of a mode's results: so few of a shape are named


@dataclass(slots=True)
class Seen:
    """How many results have something, and where the first one is."""

    count: int = 0
    first: str = ""

    def add(self, line: ReportLine) -> None:
        self.count += 1
        self.first = self.first or place_of(line)


@dataclass(slots=True)
class Shape:
    """How many teams the results of a mode have, and how many players their teams."""

    counts: dict[int, Seen] = field(default_factory=dict)
    sizes: dict[int, Seen] = field(default_factory=dict)

    def add(self, line: ReportLine, report: Report) -> None:
        self.counts.setdefault(len(report.teams), Seen()).add(line)
        for size in {size_of(team, report.lasted) for team in report.teams}:
            self.sizes.setdefault(size, Seen()).add(line)

    def __str__(self) -> str:
        """2 teams of 1 player. Or: 2 to 12 teams of 1 to 2 players; few results have 12 teams (1: line 5)."""
        text = f"{_span(self.counts)} teams of {_span(self.sizes)} player{'' if max(self.sizes) == 1 else 's'}"
        results = sum(seen.count for seen in self.counts.values())
        rare = [
            f"{words.format(number)} ({seen.count:,}: {seen.first})"
            for words, numbers in (("{} teams", self.counts), ("a team of {}", self.sizes))
            for number, seen in sorted(numbers.items())
            if seen.count <= _RARE * results
        ]
        return f"{text}; few results have {', '.join(rare)}" if rare else text


def _span(numbers: dict[int, Seen]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least} to {most}"


@dataclass(slots=True)
class Outline:
    """A summary of files. `lines`: results, good and bad. `last_end`: when the last match ended."""

    lines: int = 0
    faulty: int = 0
    faults: list[ReportLine] = field(default_factory=list)  # the first ones
    trimmable: int = 0
    shapes: dict[str, Shape] = field(default_factory=dict)
    last_end: dt.datetime | None = None
    made_ids: int = 0
    days_alone: int = 0
    negative: Seen = field(default_factory=Seen)
    nobodies: Counter[str] = field(default_factory=Counter)
    nobody: Seen = field(default_factory=Seen)
    unused: dict[str, list[str]] = field(default_factory=dict)  # by file: headings
    assumed_utc: bool = False

    @property
    def good(self) -> int:
        return self.lines - self.faulty

    def add(self, line: ReportLine) -> None:
        self.lines += 1
        report = line.report
        if report is None:
            self.faulty += 1
            self.trimmable += line.trimmable
            if len(self.faults) < MOST_FAULTS:
                self.faults.append(line)
            return
        self.shapes.setdefault(report.mode, Shape()).add(line, report)
        self.last_end = report.ended_at if self.last_end is None else max(self.last_end, report.ended_at)
        self.made_ids += line.has_made_id
        self.days_alone += line.day_alone
        if any([(team.score or 0) < 0 for team in report.teams]):  # noqa: C419 - half the time of a generator
            self.negative.add(line)
        if nobodies := {player.id for _, _, player in report.players() if player.id.casefold() in NOBODY}:
            self.nobodies.update(nobodies)
            self.nobody.add(line)

    def close(self, file: ReportFile) -> None:
        """Note what a file says only once it is read."""
        self.assumed_utc = self.assumed_utc or file.assumed_utc
        if file.unused:
            self.unused[file.name] = list(file.unused)

    def sentences(self) -> Iterator[str]:
        """What somebody should know of these files, each a sentence."""
        for name, headings in self.unused.items():
            yield f"{name}: not used: {', '.join(repr(heading[:30]) for heading in headings[:12])}."
        if self.assumed_utc:
            yield "Times without an offset were taken as UTC, as no time zone was named (--timezone)."
        if self.days_alone:
            yield f"A day and no time: {self.days_alone:,}. Within a day they keep the order of the file."
        if self.made_ids:
            made = "They got one made from their content, by which a second import knows them."
            yield f"No id: {self.made_ids:,}. {made}"
        if self.negative.count:
            yield (
                f"Negative scores: {self.negative.count:,}, first in {self.negative.first}. Some sites write"
                " disqualifications so, and here they count as played. Send them as walkovers: seconds 0 and"
                " left_early."
            )
        if self.nobody.count:
            ids = ", ".join(f"{name!r} ({count:,})" for name, count in self.nobodies.most_common(5))
            yield (
                f"Ids that usually mean nobody: {ids}, first in {self.nobody.first}. Each is one player with a rating;"
                " leave these matches out, or give a stranger an id of the match only."
            )
        if self.trimmable:
            yield (
                f"Refused only for spaces at the ends of ids or invisible characters: {self.trimmable:,}. Trim them"
                " (--trim)."
            )


def place_of(line: ReportLine) -> str:
    return f"{line.file}, line {line.number}"
