"""A match report: the result that a game server sends, as validated plain values.

The API defines the format; ranking.validation.match_report reads it from JSON.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil
from typing import Any

_TOLERANCE = 0.01  # of a match's duration, by which substitutes may overlap


class BadReport(ValueError):
    """A result can't be recorded; `path` is the field at fault, such as teams[1].players[0].seconds.

    `code`: what is wrong with the field, for programs; see ranking.validation.field_codes.
    """

    def __init__(self, path: str, sentence: str, code: str = "invalid") -> None:
        super().__init__(f"{path}: {sentence}" if path else sentence)
        self.path, self.sentence, self.code = path, sentence, code


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """`joined_at` and `absences`, which are pairs (from, to), in seconds since the start.

    `device`: the game's key for the player's device. `bot`: a program plays.
    """

    id: str
    name: str = ""
    seconds: float | None = None
    left_early: bool = False
    rounds_played: int | None = None
    absences: tuple[tuple[float, float], ...] = ()
    party: str = ""
    stats: Mapping[str, float] = field(default_factory=dict)
    device: str = ""
    joined_at: float | None = None
    bot: bool = False

    @property
    def absent(self) -> bool:
        """True if the player never played."""
        return self.left_early and self.seconds == 0

    @property
    def throughout(self) -> bool:
        """True if a person was there until the match ended: they have no seconds."""
        return self.seconds is None and not self.bot

    def absent_seconds(self) -> float:
        """The player's total absence in seconds."""
        return absent_time(self.absences)


@dataclass(frozen=True, slots=True)
class TeamReport:
    players: tuple[PlayerReport, ...]
    name: str = ""
    score: float | None = None
    place: int | None = None

    @property
    def absent(self) -> bool:
        """True if nobody of the team ever played."""
        return all(player.absent for player in self.players)


@dataclass(frozen=True, slots=True)
class Report:
    """`duration` in seconds; None if it was neither sent nor known from start and end.

    `timed`: it was sent. Times of start and end hold loading before a match and screens after it.
    `no_contest`: why the match was called off; "" if it wasn't. `unrated`: its sender doesn't want it to be rated.
    """

    id: str
    mode: str
    ended_at: dt.datetime
    teams: tuple[TeamReport, ...]
    started_at: dt.datetime | None = None
    duration: float | None = None
    rounds: int | None = None
    variant: str = ""
    server: str = ""
    region: str = ""
    lobby: str = ""
    timed: bool = True
    no_contest: str = ""
    unrated: bool = False

    @property
    def placed(self) -> bool:
        """False for a match that was called off without the places of all teams."""
        return not self.no_contest or all(team.place is not None for team in self.teams)

    @property
    def measured(self) -> bool:
        """True if the duration was sent, or if the players' seconds tell no more than the times of start and end.

        A person without seconds was there throughout; bots may lack them for another reason.
        """
        if self.duration is not None and (self.timed or any(own.throughout for _, _, own in self.players())):
            return True
        return all(player.seconds is None for _, _, player in self.players())

    @property
    def lasted(self) -> float | None:
        """The duration by which players are rated: as sent, else until the last player was gone, else of the report."""
        if self.measured:
            return self.duration
        return max((own.joined_at or 0.0) + own.seconds for _, _, own in self.players() if own.seconds is not None)

    def players(self) -> Iterator[tuple[int, int, PlayerReport]]:
        """(team, slot, player) in roster order."""
        for index, team in enumerate(self.teams):
            for slot, player in enumerate(team.players):
                yield index, slot, player

    def digest(self) -> str:
        """SHA-256 of the report; the order of keys and spelled-out defaults don't change it."""
        text = json.dumps(_without_defaults(self), sort_keys=True, ensure_ascii=False, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()


def absent_time(absences: Iterable[tuple[float, float]]) -> float:
    """The total of absences (from, to) in seconds; those that overlap count once."""
    total, reached = 0.0, 0.0
    for start, end in sorted(absences):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def check_places(report: Report) -> None:
    """Raise BadReport if the report doesn't say which team won, or that the first ones share that place.

    A match that was called off needs no winner.
    """
    if report.no_contest:
        return
    placed = [team.place is not None for team in report.teams]
    if any(placed) and not all(placed):
        raise BadReport(f"teams[{placed.index(False)}].place", "Either every team has a place or none has.")
    if not any(placed):
        for index, team in enumerate(report.teams):
            if team.score is None:
                raise BadReport(f"teams[{index}].score", "A team without a place needs a score.")
    elif all(team.place != 1 for team in report.teams):
        sentence = "Some team must have place 1; only equal first places are a draw."
        raise BadReport("teams[0].place", f"{sentence} Say in `no_contest` why a match has no winner.")


def size_of(team: TeamReport, duration: float | None) -> int:
    """The size of a team as it played: names that replaced each other count once."""
    count = len(team.players)
    return min(count, ceil(most_at_once(team, duration))) if duration else count


def most_at_once(team: TeamReport, duration: float) -> float:
    """How many players of a team were in the game at the same time at most, within 1 % of the match's duration.

    By the times at which they came and went, if anybody's `joined_at` is given; else as their times add up to.
    """
    if all(player.joined_at is None for player in team.players):
        time = sum(min(duration if own.seconds is None else own.seconds, duration) for own in team.players)
        return time / duration - _TOLERANCE
    changes = []
    for player in team.players:
        came = player.joined_at or 0.0
        gone = duration if player.seconds is None else min(came + player.seconds, duration)
        if (stay := gone - came - _TOLERANCE * duration) > 0:
            changes += [(came, 1), (came + stay, -1)]
    return max(accumulate(change for _, change in sorted(changes)), default=0)


def _without_defaults(value: object) -> object:
    """A value as JSON, without fields at their default, so that new optional fields keep old digests.

    Devices are left out, too: their keys are erased after a time, and a digest could still reveal them. `timed` is,
    as the other fields tell.
    """
    if isinstance(value, tuple):
        return [_without_defaults(item) for item in value]
    if not isinstance(value, PlayerReport | TeamReport | Report):
        return value
    fields = {}
    for name in _COLUMNS[type(value)]:
        content = getattr(value, name)
        if content is not None and content is not False and content not in ("", (), {}):
            fields[name] = _without_defaults(content)
    return fields


_COLUMNS = {
    kind: tuple(column.name for column in dataclasses.fields(kind) if column.name not in ("device", "timed"))
    for kind in (PlayerReport, TeamReport, Report)
}


def _plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return dict(value)
