"""Reading a match result from JSON: shape, types and what needs no database to be wrong."""

import datetime as dt
import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ranking.names import LONGEST, BadName, check_name
from ranking.report import PlayerReport, Report, TeamReport

TOLERANCE = 5.0  # seconds by which clocks of one match may disagree
LONGEST_MATCH = 30 * 86_400.0  # seconds
LARGEST_SCORE = 1e12
MOST_PLAYERS = 200
MOST_STATS = 64
EARLIEST = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class StrictSerializer(serializers.Serializer[Any]):
    """A serializer that refuses fields it doesn't know instead of dropping them."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (unknown := sorted(str(key) for key in data.keys() - self.fields.keys())):
            raise serializers.ValidationError(
                {name: f"There is no such field here; known are {', '.join(self.fields)}." for name in unknown}
            )
        return super().to_internal_value(data)


class TextField(serializers.CharField):
    """A string of printable characters; numbers aren't taken for text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise serializers.ValidationError("This must be a string.")
        for character in data:
            if unicodedata.category(character) in ("Cc", "Cs", "Cn", "Co"):
                raise serializers.ValidationError(f"This can't hold the character U+{ord(character):04X}.")
        return super().to_internal_value(data)


class NumberField(serializers.FloatField):
    """A finite JSON number."""

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("This must be a number.")
        if (isinstance(data, int) and abs(data) > LARGEST_SCORE) or not math.isfinite(data):
            raise serializers.ValidationError("This number is too large.")
        return float(data)


class WholeField(serializers.IntegerField):
    """A JSON integer."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("This must be a whole number.")
        return data


class FlagField(serializers.BooleanField):
    """A JSON true or false."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("This must be true or false.")
        return data


class MomentField(serializers.DateTimeField):
    """An ISO 8601 time; without an offset it is UTC."""

    def to_internal_value(self, value: Any) -> dt.datetime:
        if not isinstance(value, str):
            raise serializers.ValidationError('This must be a time such as "2026-01-31T18:00:00Z".')
        try:
            moment = super().to_internal_value(value)
        except OverflowError:
            raise serializers.ValidationError("This time is out of range.") from None
        if not EARLIEST <= moment.astimezone(dt.UTC) < dt.datetime(9000, 1, 1, tzinfo=dt.UTC):
            raise serializers.ValidationError("This time is out of range.")
        return moment


@extend_schema_field({"type": "object", "additionalProperties": {"type": "number"}, "maxProperties": MOST_STATS})
class StatsField(serializers.DictField):
    child = NumberField()

    def to_internal_value(self, data: Any) -> dict[str, float]:
        if isinstance(data, Mapping) and len(data) > MOST_STATS:
            raise serializers.ValidationError(f"At most {MOST_STATS} numbers a player.")
        name = TextField(max_length=64)
        for key in data if isinstance(data, Mapping) else ():
            name.run_validation(key)
        return super().to_internal_value(data)


@extend_schema_field(OpenApiTypes.STR)
class NameField(TextField):
    """A player's name."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        try:
            check_name(name)
        except BadName as error:
            raise serializers.ValidationError(str(error)) from error
        return name


class AbsenceField(serializers.ListField):
    """[from, to] in seconds since the start."""

    child = NumberField(min_value=0, max_value=LONGEST_MATCH)

    def __init__(self, **options: Any) -> None:
        super().__init__(min_length=2, max_length=2, **options)


class PlayerSerializer(StrictSerializer):
    id = TextField(max_length=128, help_text="The game's key for the player; unknown ones are created.")
    name = NameField(max_length=LONGEST, required=False, help_text="The name to show; default: the id.")
    seconds = NumberField(min_value=0, required=False, allow_null=True, help_text="Time in game; default: all of it.")
    left_early = FlagField(required=False, help_text="Left before the end and did not return.")
    rounds_played = WholeField(min_value=0, max_value=10_000, required=False, allow_null=True)
    absences = serializers.ListField(
        child=AbsenceField(), max_length=100, required=False, help_text="[from, to] in seconds since the start."
    )
    party = TextField(
        max_length=64, required=False, allow_blank=True, help_text="The same for all who queued together."
    )
    stats = StatsField(required=False, help_text="Totals of the match, such as kills and deaths.")


class TeamSerializer(StrictSerializer):
    name = TextField(max_length=64, required=False, allow_blank=True)
    score = NumberField(required=False, allow_null=True)
    place = WholeField(
        min_value=1, max_value=MOST_PLAYERS, required=False, allow_null=True,
        help_text="1 is best, equal places are a draw. If every team has one, places decide; if none has, scores do.",
    )  # fmt: skip
    players = PlayerSerializer(many=True, allow_empty=False, max_length=MOST_PLAYERS)


class ReportSerializer(StrictSerializer):
    """A match result. One of `started_at` and `ended_at` is enough."""

    id = TextField(max_length=128, help_text="Your own id of the match, unique within your source.")
    mode = TextField(max_length=50, help_text="Slug of a mode.")
    started_at = MomentField(required=False, allow_null=True)
    ended_at = MomentField(required=False, allow_null=True)
    duration = NumberField(min_value=0, max_value=LONGEST_MATCH, required=False, allow_null=True, help_text="Seconds.")
    rounds = WholeField(min_value=0, max_value=10_000, required=False, allow_null=True)
    variant = TextField(max_length=64, required=False, allow_blank=True)
    server = TextField(max_length=64, required=False, allow_blank=True)
    region = TextField(max_length=32, required=False, allow_blank=True)
    lobby = TextField(max_length=64, required=False, allow_blank=True)
    teams = TeamSerializer(many=True, allow_empty=False, max_length=MOST_PLAYERS)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Times and players against each other; fills in ended_at and duration."""
        start, end, duration = attrs.get("started_at"), attrs.get("ended_at"), attrs.get("duration")
        if start is None and end is None:
            raise serializers.ValidationError({"ended_at": "Give started_at, ended_at, or both."})
        if start is not None and end is not None:
            if end < start:
                raise serializers.ValidationError({"ended_at": "The match ends before it starts."})
            if duration is None:
                attrs["duration"] = duration = (end - start).total_seconds()
        _check_times(attrs["teams"], math.inf if duration is None else duration)
        if end is None:
            known = duration if duration is not None else _longest_stay(attrs["teams"])
            attrs["ended_at"] = start + dt.timedelta(seconds=known)
        _check_distinct(attrs["teams"])
        return attrs

    def report(self) -> Report:
        """The validated result as a value."""
        data = dict(self.validated_data)
        teams = tuple(_team_report(team) for team in data.pop("teams"))
        return Report(teams=teams, **data)


def read_report(data: Any) -> Report:
    """A report from JSON; raises rest_framework's ValidationError with the fields' paths."""
    serializer = ReportSerializer(data=data)
    serializer.is_valid(raise_exception=True)
    return serializer.report()


def _team_report(team: dict[str, Any]) -> TeamReport:
    players = tuple(
        PlayerReport(**{**player, "absences": tuple((start, end) for start, end in player.get("absences", ()))})
        for player in team["players"]
    )
    return TeamReport(players=players, **{key: team[key] for key in team.keys() - {"players"}})


def _longest_stay(teams: list[dict[str, Any]]) -> float:
    return max((player.get("seconds") or 0.0 for team in teams for player in team["players"]), default=0.0)


def _placed_error(team: int, player: int, field: str, sentence: str, teams: list[dict[str, Any]]) -> Exception:
    """A ValidationError shaped like the data, with one sentence at one player's field."""
    errors: list[dict[str, Any]] = [{} for _ in teams]
    errors[team] = {"players": [{} for _ in teams[team]["players"]]}
    errors[team]["players"][player] = {field: sentence}
    return serializers.ValidationError({"teams": errors})


def _check_times(teams: list[dict[str, Any]], duration: float) -> None:
    limit = duration + TOLERANCE
    for index, team in enumerate(teams):
        for slot, player in enumerate(team["players"]):
            if (player.get("seconds") or 0.0) > limit:
                sentence = f"{player['seconds']:g} s is more than the match lasted ({duration:g} s)."
                raise _placed_error(index, slot, "seconds", sentence, teams)
            for start, end in player.get("absences", ()):
                if not start < end <= limit:
                    sentence = f"[{start:g}, {end:g}] isn't a stretch of a match of {duration:g} s."
                    raise _placed_error(index, slot, "absences", sentence, teams)


def _check_distinct(teams: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for index, team in enumerate(teams):
        for slot, player in enumerate(team["players"]):
            if player["id"] in seen:
                raise _placed_error(index, slot, "id", f"Player {player['id']!r} is in this match twice.", teams)
            seen.add(player["id"])


__all__ = ["ReportSerializer", "StrictSerializer", "read_report"]
