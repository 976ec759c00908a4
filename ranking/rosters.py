"""Who is in a match, and for how long: what is wrong only with all of it in sight."""

import math
from collections.abc import Iterator
from typing import Any

from rest_framework import serializers

TOLERANCE = 5.0  # seconds by which clocks of one match may disagree
_HAIR = 1e-6  # what adding decimals in binary may be off by


def longest_stay(teams: list[dict[str, Any]]) -> float:
    return max((player.get("seconds") or 0.0 for team in teams for player in team["players"]), default=0.0)


def check_teams(teams: list[dict[str, Any]], duration: float | None) -> None:
    """Refuse players who are in the match twice, or longer than it lasted."""
    seen: set[str] = set()
    faults: dict[Any, Any] = {}
    for index, team in enumerate(teams):
        placed = {}
        for slot, player in enumerate(team["players"]):
            if found := dict(_faults(player, duration, seen)):
                placed[slot] = found
            seen.add(player["id"])
        if placed:
            faults[index] = {"players": placed}
    if faults:
        raise serializers.ValidationError({"teams": faults})


def _faults(player: dict[str, Any], duration: float | None, seen: set[str]) -> Iterator[tuple[str, str]]:
    """Field and sentence of what is wrong with a player of this match."""
    if player["id"] in seen:
        yield "id", f"Player {player['id']!r} is in this match twice."
    lasted = math.inf if duration is None else duration
    limit = lasted + TOLERANCE + _HAIR
    if (player.get("seconds") or 0.0) > limit:
        yield "seconds", f"{_plain(player['seconds'])} s is more than the match lasted ({_plain(lasted)} s)."
    for start, end in player.get("absences", ()):
        if not start < end <= limit:
            match = "a match" if duration is None else f"a match of {_plain(duration)} s"
            yield "absences", f"[{_plain(start)}, {_plain(end)}] isn't a stretch of {match}."


def _plain(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".")
