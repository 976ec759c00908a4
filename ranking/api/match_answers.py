"""A match as the API answers it: as its sender sent it, without devices and parties."""

from typing import Any, NamedTuple, Protocol

from rest_framework import serializers

from ranking.api.answers import ChangeSerializer, StateField, moves_of
from ranking.api.output import OutputSerializer, R
from ranking.matches.records import MatchRecord
from ranking.models import Match, Participation
from ranking.rules.match_links import KINDS
from ranking.rules.places import score_sent


class Person(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...


class PersonSerializer(OutputSerializer[Person]):
    id = serializers.CharField(source="key", help_text="The game's key for the player.")
    name = serializers.CharField()


class WithPersonSerializer(OutputSerializer[R]):
    # Of a row that has a `player`.

    id = serializers.CharField(source="player.key", help_text="The game's key for the player.")
    name = serializers.CharField(source="player.name")


def uncounted_field(source: str | None = None) -> serializers.ChoiceField:
    help_text = "Why the match never counts; empty for one that may count."
    return serializers.ChoiceField(Match.UNCOUNTED, source=source, allow_blank=True, help_text=help_text)


def uncounted_reason_field() -> serializers.CharField:
    return serializers.CharField(allow_blank=True, help_text="The same in words, as its sender or the site said.")


def uncounted_reason(match: Match) -> str:
    """The field `reason` of a match that was loaded with ranking.matches.records.with_void_reasons."""
    return match.void_reason if match.uncounted else ""


class PartSerializer(WithPersonSerializer[Participation]):
    bot = serializers.BooleanField(source="player.is_bot")
    seconds = serializers.FloatField(allow_null=True)
    joined_at = serializers.FloatField(allow_null=True, help_text="Seconds since the start; null: at the start.")
    left_early = serializers.BooleanField(help_text="They abandoned the match; false for who was free to leave it.")
    rounds_played = serializers.IntegerField(allow_null=True)
    stats = serializers.DictField(child=serializers.FloatField())


class Lineup(NamedTuple):
    name: str
    score: float | None
    place: int | None
    players: list[Participation]


class LineupSerializer(OutputSerializer[Lineup]):
    """A team as it was sent."""

    name = serializers.CharField(allow_blank=True)
    score = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    players = PartSerializer(many=True)


class MatchLinkSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(KINDS)
    url = serializers.URLField()


class MatchSerializer(OutputSerializer[MatchRecord]):
    """A match as it was sent. `number` is the site's own id of it; `id` is its source's."""

    first = tuple("number source id mode started_at ended_at duration rounds variant server region late links".split())

    number = serializers.IntegerField(source="match.pk")
    source = serializers.CharField(source="match.source.slug")  # type: ignore[assignment]
    id = serializers.CharField(source="match.external_id")
    mode = serializers.CharField(source="match.mode.slug", help_text="Slug of its mode.")
    started_at = serializers.DateTimeField(source="match.started_at", allow_null=True)
    ended_at = serializers.DateTimeField(source="match.ended_at")
    duration = serializers.FloatField(source="match.duration", allow_null=True, help_text="Seconds.")
    rounds = serializers.IntegerField(source="match.rounds", allow_null=True)
    variant = serializers.CharField(source="match.variant", allow_blank=True)
    server = serializers.CharField(source="match.server", allow_blank=True)
    region = serializers.CharField(source="match.region", allow_blank=True)
    state = StateField(source="match")
    uncounted = uncounted_field("match.uncounted")
    reason = uncounted_reason_field()
    late = serializers.BooleanField(
        source="match.late", help_text="It ended before a match already rated for one of its players."
    )
    links = MatchLinkSerializer(source="match.links", many=True, help_text="Its replay and videos.")
    teams = LineupSerializer(many=True)

    @staticmethod
    def fill_reason(record: MatchRecord) -> str:
        return uncounted_reason(record.match)

    @staticmethod
    def fill_teams(record: MatchRecord) -> list[dict[str, object]]:
        lineups = [Lineup(team["name"], score_sent(team), team["place"], []) for team in record.match.teams]
        for part in record.parts:
            lineups[part.team].players.append(part)
        return LineupSerializer.fill_many(lineups)


class RatedMatchSerializer(MatchSerializer):
    changes = ChangeSerializer(many=True)

    @staticmethod
    def fill_changes(record: MatchRecord) -> list[dict[str, object]]:
        return ChangeSerializer.fill_many(moves_of(record))
