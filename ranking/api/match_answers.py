"""A match as the API answers it: as its sender sent it, without devices and parties."""

from typing import Any, Protocol

from rest_framework import serializers

from ranking.api.answers import STATES, ChangeSerializer, state_of
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


def uncounted_field() -> serializers.ChoiceField:
    return serializers.ChoiceField(
        Match.UNCOUNTED, allow_blank=True, help_text="Why the match never counts; empty for one that may count."
    )


def uncounted_reason_field() -> serializers.CharField:
    return serializers.CharField(allow_blank=True, help_text="The same in words, as its sender or the site said.")


def uncounted_data(match: Match) -> dict[str, str]:
    """The fields `uncounted` and `reason` of a match that was loaded with ranking.matches.records.with_void_reasons."""
    return {"uncounted": match.uncounted, "reason": match.void_reason if match.uncounted else ""}


class PartSerializer(PersonSerializer):
    bot = serializers.BooleanField()
    seconds = serializers.FloatField(allow_null=True)
    joined_at = serializers.FloatField(allow_null=True, help_text="Seconds since the start; null: at the start.")
    left_early = serializers.BooleanField(help_text="They abandoned the match; false for who was free to leave it.")
    rounds_played = serializers.IntegerField(allow_null=True)
    stats = serializers.DictField(child=serializers.FloatField())


class LineupSerializer(serializers.Serializer[Any]):
    """A team as it was sent."""

    name = serializers.CharField(allow_blank=True)
    score = serializers.FloatField(allow_null=True)
    place = serializers.IntegerField(allow_null=True)
    players = PartSerializer(many=True)


class MatchLinkSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(KINDS)
    url = serializers.URLField()


class MatchSerializer(serializers.Serializer[Any]):
    """A match as it was sent. `number` is the site's own id of it; `id` is its source's."""

    number = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    id = serializers.CharField()
    mode = serializers.CharField(help_text="Slug of its mode.")
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField()
    duration = serializers.FloatField(allow_null=True, help_text="Seconds.")
    rounds = serializers.IntegerField(allow_null=True)
    variant = serializers.CharField(allow_blank=True)
    server = serializers.CharField(allow_blank=True)
    region = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(STATES)
    uncounted = uncounted_field()
    reason = uncounted_reason_field()
    late = serializers.BooleanField(help_text="It ended before a match already rated for one of its players.")
    links = MatchLinkSerializer(many=True, help_text="Its replay and videos.")
    teams = LineupSerializer(many=True)


class RatedMatchSerializer(MatchSerializer):
    changes = ChangeSerializer(many=True)


_MATCH_FIELDS = ("started_at", "ended_at", "duration", "rounds", "variant", "server", "region", "late", "links")
_PART_FIELDS = ("seconds", "joined_at", "left_early", "rounds_played", "stats")


def match_data(record: MatchRecord) -> dict[str, Any]:
    """MatchSerializer's data."""
    match = record.match
    teams = [_team_data(team) for team in match.teams]
    for part in record.parts:
        teams[part.team]["players"].append(_part_data(part))
    return {
        "number": match.pk,
        "source": match.source.slug,
        "id": match.external_id,
        "mode": match.mode.slug,
        **{name: getattr(match, name) for name in _MATCH_FIELDS},
        "state": state_of(match),
        **uncounted_data(match),
        "teams": teams,
    }


def _team_data(team: dict[str, Any]) -> dict[str, Any]:
    return {"name": team["name"], "score": score_sent(team), "place": team["place"], "players": []}


def _part_data(part: Participation) -> dict[str, Any]:
    player, fields = part.player, {name: getattr(part, name) for name in _PART_FIELDS}
    return {"id": player.key, "name": player.name, "bot": player.is_bot, **fields}
