"""The table of a match page: everybody once, with their statistics, sorted as asked, and the best of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from leaderboards.display.numbers import clock
from leaderboards.postgame.outcomes import roster
from leaderboards.postgame.seats import PlayerLine, order_in_team
from ranking.matches.records import MatchRecord
from ranking.models import Participation
from ranking.modes.parameters import system_of
from ranking.rules.scoreboard import FORMS, PERCENT, TIME, Column, columns_for
from ranking.systems.shared.explanations import plain_number
from ranking.wording.translation import gettext, number_text, percent_text

PLAYER = "player"  # the column of names, as ?sort= calls it
ASCENDING, DESCENDING = "asc", "desc"


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column. `query`: the address's query that sorts by it; `sorted_as`: the value of aria-sort."""

    name: str
    query: str
    sorted_as: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A statistic as text, empty if it wasn't reported; `best`: nobody has a better one. `name`: its column's."""

    name: str
    text: str
    best: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line; see the function `most_valuable`."""

    seat: PlayerLine
    cells: Sequence[Cell]
    most_valuable: bool


@dataclass(frozen=True, slots=True)
class TeamHead:
    """What stands above a team's lines. `word` says its result, which is empty with more than two teams."""

    index: int
    name: str
    score: str
    word: str
    result: str


@dataclass(frozen=True, slots=True)
class Lineup:
    """A team's lines; `head` is None where each player is a team of their own, and all stand in one."""

    head: TeamHead | None
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """`headings`: of the players' names, then of the statistics; none if no statistics were reported."""

    headings: Sequence[Heading]
    lineups: Sequence[Lineup]


def make_scoreboard(
    play: MatchRecord,
    seats: Sequence[PlayerLine],
    teams: Sequence[TeamHead],
    *,
    sort: str = "",
    direction: str = "",
) -> Scoreboard:
    """Return the table. No queries.

    `seats`: in roster order; `teams`: in the order of the page. An unknown `sort` means the usual order: by the
    statistic `score`, else as in the report.
    """
    match = play.match
    reported = {stat for part in play.parts for stat in part.stats}
    rounds = [part.rounds_played or match.rounds for part in play.parts]
    columns = columns_for(match.mode.columns, reported, with_rounds=any(rounds))
    values = {
        part.player_id: [column.value(part.stats, played, part.seconds or match.duration) for column in columns]
        for part, played in zip(play.parts, rounds, strict=True)
    }
    order = _Order(columns, sort, direction)
    best = [_best(column, [row[index] for row in values.values()]) for index, column in enumerate(columns)]
    valued = most_valuable(play)
    by_player = {seat.player.pk: seat for seat in seats}

    def line(part: Participation) -> Line:
        row = zip(columns, values[part.player_id], best, strict=True)
        cells = [
            Cell(column.text, text_of(column, value), value is not None and value == top) for column, value, top in row
        ]
        return Line(by_player[part.player_id], cells, part.player_id in valued)

    rosters = [_in_usual_order(roster(play.parts, team.index)) for team in teams]
    headings = order.headings() if columns else []
    if all(len(parts) == 1 for parts in rosters):
        everybody = order.sort([part for parts in rosters for part in parts], values)
        return Scoreboard(headings, [Lineup(None, [line(part) for part in everybody])])
    lineups = [
        Lineup(team, [line(part) for part in order.sort(parts, values)])
        for team, parts in zip(teams, rosters, strict=True)
    ]
    return Scoreboard(headings, lineups)


def _in_usual_order(parts: Sequence[Participation]) -> Sequence[Participation]:
    order = order_in_team(parts)
    return sorted(parts, key=lambda part: order[part.player_id])


class _Order:
    """The order of players within a team, by a column that the address names."""

    def __init__(self, columns: Sequence[Column], sort: str, direction: str) -> None:
        self.columns = columns
        keys = [column.key for column in columns]
        self.by = keys.index(sort) if sort in keys else None
        self.by_name = sort == PLAYER
        self.descending = (direction or self._usual(sort)) == DESCENDING

    def _usual(self, sort: str) -> str:
        return next(
            (DESCENDING if not column.least else ASCENDING for column in self.columns if column.key == sort), ASCENDING
        )

    def sort(
        self, parts: Sequence[Participation], values: Mapping[int, Sequence[float | None]]
    ) -> Sequence[Participation]:
        """Players without a number come last, whatever the direction; equal ones stay in their usual order."""
        if self.by_name:
            return sorted(parts, key=lambda part: part.player.name.casefold(), reverse=self.descending)
        if self.by is None:
            return parts
        column, sign = self.by, -1 if self.descending else 1

        def key(part: Participation) -> tuple[bool, float]:
            value = values[part.player_id][column]
            return value is None, sign * (value or 0.0)

        return sorted(parts, key=key)

    def headings(self) -> Sequence[Heading]:
        named = [(PLAYER, gettext("Player"), self.by_name)]
        named += [(column.key, column.text, self.by == index) for index, column in enumerate(self.columns)]
        return [self._heading(key, name, is_sorted=is_sorted) for key, name, is_sorted in named]

    def _heading(self, key: str, name: str, *, is_sorted: bool) -> Heading:
        direction = self._usual(key)
        if is_sorted:
            direction = ASCENDING if self.descending else DESCENDING
        sorted_as = ("descending" if self.descending else "ascending") if is_sorted else ""
        return Heading(name, urlencode({"sort": key, "dir": direction}), sorted_as)


def _best(column: Column, values: Sequence[float | None]) -> float | None:
    """The best number of a column; None if fewer than two were reported, or all are alike."""
    numbers = [value for value in values if value is not None]
    if len(set(numbers)) < 2:
        return None
    return min(numbers) if column.least else max(numbers)


def text_of(column: Column, value: float | None) -> str:
    """A number of a column as text; empty for None."""
    if value is None:
        return ""
    if column.form == TIME:
        return clock(max(0.0, value))
    if column.form == PERCENT:
        return percent_text(100 * value)
    decimals = FORMS[column.form]
    if decimals is not None:
        return number_text(value, decimals)
    return plain_number(round(value, 2))


def most_valuable(play: MatchRecord) -> set[int]:
    """The ids of the most valuable players; empty if nothing tells them.

    What tells is the impact that the mode's rating system counts, else the statistic that the mode chose. Who left has
    no part in it; of equal players those of the best-placed team count, and all of them if there are several still.
    """
    stayed = [part for part in play.parts if not part.left_early]
    found = _impacts(play, stayed) or {
        part.player_id: part.stats[play.match.mode.best_by] for part in stayed if play.match.mode.best_by in part.stats
    }
    if len(set(found.values())) < 2:
        return set()
    most = max(found.values())
    equal = [part for part in stayed if found.get(part.player_id) == most]
    first = min(part.place or 1 for part in equal)
    return {part.player_id for part in equal if (part.place or 1) == first}


def _impacts(play: MatchRecord, parts: Sequence[Participation]) -> dict[int, float]:
    """What these players did for their teams, by their ids, as the system that rated the match counts it."""
    if not play.changes:
        return {}
    system = system_of(play.changes[0].parameters)
    impacts = {
        part.player_id: system.contribution(part.stats, part.rounds_played or play.match.rounds) for part in parts
    }
    return {player: impact for player, impact in impacts.items() if impact is not None}
