"""Reads a match report from JSON: shape, types, and every check that needs no database."""

import datetime as dt
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rest_framework import serializers

from ranking.rules.names import LONGEST
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.validation.fields import (
    BooleanField,
    IntegerField,
    KeyField,
    NameField,
    NumberField,
    PlayerKeyField,
    TextField,
    TimestampField,
)
from ranking.validation.objects import (
    LONGEST_MATCH,
    AbsenceField,
    BoundedListField,
    StatsField,
    StrictSerializer,
    list_of,
)

LONGEST_REASON = 200  # characters of why a match was called off, which its void keeps
TOLERANCE = 5.0  # seconds by which clocks of one match may disagree
_EPSILON = 1e-6  # rounding error of sums of binary fractions


def longest_stay(teams: list[dict[str, Any]]) -> float:
    players = [player for team in teams for player in team["players"]]
    return max(((own.get("joined_at") or 0.0) + (own.get("seconds") or 0.0) for own in players), default=0.0)


def check_teams(teams: list[dict[str, Any]], duration: float | None) -> None:
    """Refuse players who are in the match twice, or were in it for longer than it lasted."""
    seen: set[str] = set()
    faults: dict[Any, Any] = {}
    for index, team in enumerate(teams):
        by_slot = {}
        for slot, player in enumerate(team["players"]):
            if sentences := dict(_faults(player, duration, seen)):
                by_slot[slot] = sentences
            seen.add(player["id"])
        if by_slot:
            faults[index] = {"players": by_slot}
    if faults:
        raise serializers.ValidationError({"teams": faults})


def _faults(player: dict[str, Any], duration: float | None, seen: set[str]) -> Iterator[tuple[str, str]]:
    """Yield field and sentence of each fault of a player in this match."""
    if player["id"] in seen:
        twice = f"Player {player['id']!r} is in this match twice."
        yield "id", f"{twice} Who changed sides stands in the team in which they spent more time."
    lasted = math.inf if duration is None else duration
    limit = lasted + TOLERANCE + _EPSILON
    seconds, joined = player.get("seconds") or 0.0, player.get("joined_at") or 0.0
    if seconds > limit:
        yield "seconds", f"{_plain(seconds)} s is more than the match lasted ({_plain(lasted)} s)."
    elif joined + seconds > limit:
        sentence = f"{_plain(joined)} s and {_plain(seconds)} s in game end after the match ({_plain(lasted)} s)."
        yield "joined_at", sentence
    for start, end in player.get("absences", ()):
        if not start < end <= limit:
            match = "a match" if duration is None else f"a match of {_plain(duration)} s"
            yield "absences", f"[{_plain(start)}, {_plain(end)}] isn't a stretch of {match}."


def _plain(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".")


MOST_PLAYERS = 200  # of a match


def count_players(data: object) -> int:
    """Return how many players parsed JSON names in its teams, whatever else is wrong with it."""
    return sum(len(_list_in(team, "players")) for team in _list_in(data, "teams"))


def _list_in(data: object, name: str) -> list[object]:
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, list) else []


class PlayerSerializer(StrictSerializer):
    """A player's part in a match."""

    id = PlayerKeyField(max_length=128, help_text="The game's key for the player; unknown ones are created. Not `me`.")
    name = NameField(max_length=LONGEST, required=False, help_text="The name to show; default: the id.")
    seconds = NumberField(
        min_value=0, max_value=LONGEST_MATCH, required=False, allow_null=True,
        help_text="Time in game; default: all of it. At most 5 s more than the match's duration.",
    )  # fmt: skip
    joined_at = NumberField(
        min_value=0, max_value=LONGEST_MATCH, required=False, allow_null=True,
        help_text="Seconds since the start, for who came later; default: 0.",
    )  # fmt: skip
    left_early = BooleanField(required=False, help_text="Left before the end and did not return.")
    rounds_played = IntegerField(min_value=0, max_value=10_000, required=False, allow_null=True)
    absences = BoundedListField(
        child=AbsenceField(), max_length=100, required=False, help_text="[from, to] in seconds since the start."
    )
    party = TextField(
        max_length=64, required=False, allow_blank=True, help_text="The same for all who queued together."
    )
    stats = StatsField(required=False, help_text="Totals of the match, such as kills and deaths.")
    device = TextField(
        max_length=128, required=False, allow_blank=True,
        help_text="The game's key of the device, or the platform's of the account, that they played on. Kept for a"
        " while as a keyed hash, to find shared accounts; never shown, and no part of what makes a result the same.",
    )  # fmt: skip
    bot = BooleanField(
        required=False,
        help_text="A program plays: the player is a bot from then on, off every board. Who is known as a person stays"
        " one, and `notes` says so.",
    )


class TeamSerializer(StrictSerializer):
    """A team with its players."""

    name = TextField(max_length=64, required=False, allow_blank=True)
    score = NumberField(required=False, allow_null=True)
    place = IntegerField(
        min_value=1, max_value=MOST_PLAYERS, required=False, allow_null=True,
        help_text="1 is best, equal places are a draw. If every team has one, places decide; if none has, scores do.",
    )  # fmt: skip
    players = list_of(PlayerSerializer, most=MOST_PLAYERS)


class ReportSerializer(StrictSerializer):
    """A match result. One of `started_at` and `ended_at` is enough."""

    id = KeyField(max_length=128, help_text="Your own id of the match, unique within your source.")
    mode = KeyField(max_length=50, help_text="Slug of a mode.")
    started_at = TimestampField(required=False, allow_null=True)
    ended_at = TimestampField(
        required=False, allow_null=True, help_text="At most 5 minutes in the future; clocks differ."
    )
    duration = NumberField(
        min_value=0, max_value=LONGEST_MATCH, required=False, allow_null=True,
        help_text="Seconds of play; default: until the last player was gone, if the seconds of all people are given,"
        " else from started_at to ended_at. At most 5 s more than that.",
    )  # fmt: skip
    rounds = IntegerField(min_value=0, max_value=10_000, required=False, allow_null=True)
    variant = TextField(max_length=64, required=False, allow_blank=True, help_text="Map or rules.")
    server = TextField(max_length=64, required=False, allow_blank=True)
    region = TextField(max_length=32, required=False, allow_blank=True)
    lobby = TextField(max_length=64, required=False, allow_blank=True)
    no_contest = TextField(
        max_length=LONGEST_REASON, required=False,
        help_text="Why the match was called off. It is recorded and shown, and counts for nothing; scores and places"
        " are optional then.",
    )  # fmt: skip
    rated = BooleanField(
        required=False, help_text="Default: true. False: it is recorded and shown, and counts for nothing."
    )
    teams = list_of(TeamSerializer, most=MOST_PLAYERS)  # players in all: to_internal_value

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if (players := count_players(data)) > MOST_PLAYERS:
            sentence = f"A match has at most {MOST_PLAYERS} players in all; this one has {players:,}."
            raise serializers.ValidationError({"teams": [sentence]})
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that times and players fit together; fill in ended_at and duration."""
        start, end, duration = attrs.get("started_at"), attrs.get("ended_at"), attrs.get("duration")
        if start is None and end is None:
            raise serializers.ValidationError({"ended_at": "Give started_at, ended_at, or both."})
        if start is not None and end is not None:
            lasted = (end - start).total_seconds()
            if lasted < 0:
                raise serializers.ValidationError({"ended_at": "The match ends before it starts."})
            if lasted > LONGEST_MATCH:
                raise serializers.ValidationError({"started_at": "That is more than 30 days before ended_at."})
            if duration is None:
                attrs["duration"], attrs["timed"], duration = lasted, False, lasted
            elif duration > lasted + TOLERANCE + _EPSILON:
                sentence = f"{_plain(duration)} s is more than the time from start to end ({_plain(lasted)} s)."
                raise serializers.ValidationError({"duration": sentence})
        check_teams(attrs["teams"], duration)
        if end is None and start is not None:
            seconds = duration if duration is not None else longest_stay(attrs["teams"])
            attrs["ended_at"] = start + dt.timedelta(seconds=seconds)
        attrs["unrated"] = not attrs.pop("rated", True)
        return attrs


@lru_cache(maxsize=1)
def _reader() -> ReportSerializer:
    return ReportSerializer()


def read_report(data: object) -> Report:
    """Read a report from parsed JSON; raises rest_framework's ValidationError with the fields' paths.

    All calls share one serializer: it has no state, and making one takes as long as reading a report.
    """
    values = _reader().run_validation(data)
    teams = tuple(_team_report(team) for team in values.pop("teams"))
    return Report(teams=teams, **values)


def _team_report(team: dict[str, Any]) -> TeamReport:
    players = tuple(
        PlayerReport(**{**player, "absences": tuple((start, end) for start, end in player.get("absences", ()))})
        for player in team["players"]
    )
    return TeamReport(players=players, **{key: team[key] for key in team.keys() - {"players"}})


__all__ = ["ReportSerializer", "read_report"]
