"""A match report: the result that a game server sends, as validated plain values.

The API defines the format; ranking.validation.match_report reads it from JSON.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class BadReport(ValueError):
    """A result can't be recorded; `path` is the field at fault, such as teams[1].players[0].seconds.

    `code`: what is wrong with the field, for programs; see ranking.validation.field_codes.
    """

    def __init__(self, path: str, sentence: str, code: str = "invalid") -> None:
        super().__init__(f"{path}: {sentence}" if path else sentence)
        self.path, self.sentence, self.code = path, sentence, code


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """`absences`: pairs (from, to) in seconds since the start; `device`: the game's key for the player's device."""

    id: str
    name: str = ""
    seconds: float | None = None
    left_early: bool = False
    rounds_played: int | None = None
    absences: tuple[tuple[float, float], ...] = ()
    party: str = ""
    stats: Mapping[str, float] = field(default_factory=dict)
    device: str = ""

    def absent_seconds(self) -> float:
        """The player's total absence in seconds; overlapping absences count once."""
        total, reached = 0.0, 0.0
        for start, end in sorted(self.absences):
            total += max(0.0, end - max(start, reached))
            reached = max(reached, end)
        return total


@dataclass(frozen=True, slots=True)
class TeamReport:
    players: tuple[PlayerReport, ...]
    name: str = ""
    score: float | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """`duration` in seconds; None if it was neither sent nor known from start and end."""

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

    def players(self) -> Iterator[tuple[int, int, PlayerReport]]:
        """(team, slot, player) in roster order."""
        for index, team in enumerate(self.teams):
            for slot, player in enumerate(team.players):
                yield index, slot, player

    def digest(self) -> str:
        """SHA-256 of the report; the order of keys and spelled-out defaults don't change it."""
        text = json.dumps(_without_defaults(self), sort_keys=True, ensure_ascii=False, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()


def check_places(report: Report) -> None:
    """Raise BadReport if the report doesn't say which team won."""
    placed = [team.place is not None for team in report.teams]
    if any(placed) and not all(placed):
        raise BadReport(f"teams[{placed.index(False)}].place", "Either every team has a place or none has.")
    if not any(placed):
        for index, team in enumerate(report.teams):
            if team.score is None:
                raise BadReport(f"teams[{index}].score", "A team without a place needs a score.")


def _without_defaults(value: Any) -> Any:
    """A value as JSON, without fields at their default, so that new optional fields keep old digests.

    Devices are left out, too: their keys are erased after a time, and a digest could still reveal them.
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
    kind: tuple(column.name for column in dataclasses.fields(kind) if column.name != "device")
    for kind in (PlayerReport, TeamReport, Report)
}


def _plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return dict(value)
