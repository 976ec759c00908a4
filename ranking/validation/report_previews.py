"""The first matches of files as people read them, before anything is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ranking.rules.report import Report, TeamReport
from ranking.validation.sorted_reports import SortedReports

SHOWN = 10  # matches
_MOST_NAMES = 8  # of a team


@dataclass(frozen=True, slots=True)
class PreviewedMatch:
    """A match of a file: the line, when it ended (UTC), its mode, its teams with their results; "" or the file's id."""

    line: int
    ended_at: str
    mode: str
    teams: str
    id: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.ended_at}  {self.mode}  {self.teams}{f'  ({self.id})' if self.id else ''}"


def first_matches(reports: SortedReports) -> list[PreviewedMatch]:
    """The first ones in the order of time."""
    return [
        PreviewedMatch(
            line.number, line.report.ended_at.strftime("%Y-%m-%d %H:%M:%S"), line.report.mode, _teams(line.report),
            "" if line.has_made_id else line.report.id,
        )
        for line in islice(reports, SHOWN)
        if line.report is not None
    ]  # fmt: skip


def _teams(report: Report) -> str:
    return " – ".join(_team(team) for team in report.teams)


def _team(team: TeamReport) -> str:
    names = [player.name or player.id for player in team.players]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    results = [f"{team.score:g}"] if team.score is not None else []
    results += [f"place {team.place}"] if team.place is not None else []
    return f"{', '.join(names[:_MOST_NAMES])}{more} [{', '.join(results)}]"
