"""Webhooks in the schema: what each message says, and what a receiver answers."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, OpenApiWebhook, extend_schema, inline_serializer
from rest_framework import serializers

from leaderboards.api.standings import TierSerializer
from leaderboards.webhooks.events import (
    LOBBY_ABORTED,
    MATCH_CORRECTED,
    MATCH_FOUND,
    MATCH_RATED,
    MATCH_VOIDED,
    MEANINGS,
    PLAYER_PROMOTED,
    REOPENED,
    RESTORED,
    SEASON_CORRECTED,
    SEASON_ENDED,
    SEASON_STARTED,
    STRUCK,
    TEST,
)
from ranking.api.match_answers import MatchSerializer, PersonSerializer, RatedMatchSerializer

CORRECTIONS = [STRUCK, RESTORED, REOPENED]


class NamedModeSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="Slug of the mode.")
    name = serializers.CharField()


class NamedSeasonSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    name = serializers.CharField()


class DatedSeasonSerializer(NamedSeasonSerializer):
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)


class PromotionSerializer(serializers.Serializer[Any]):
    """A player reached a higher tier than before in the season."""

    mode = NamedModeSerializer()
    season = serializers.IntegerField(help_text="Its number.")
    player = PersonSerializer()
    tier = serializers.CharField(help_text="With its division, as people read it.")
    rank = serializers.IntegerField()
    listed = serializers.IntegerField(help_text="The number of listed players.")


class StartedSeasonSerializer(serializers.Serializer[Any]):
    mode = NamedModeSerializer()
    season = DatedSeasonSerializer()


class TierCountSerializer(serializers.Serializer[Any]):
    tier = TierSerializer()
    players = serializers.IntegerField()


class FinalPlaceSerializer(serializers.Serializer[Any]):
    """A row of the final standings; null is what the mode doesn't show."""

    rank = serializers.IntegerField()
    player = PersonSerializer(allow_null=True, help_text="null: hidden, or the player has left for good.")
    rating = serializers.CharField(allow_null=True)
    percentile = serializers.IntegerField(allow_null=True)
    tier = TierSerializer(allow_null=True)
    matches = serializers.IntegerField()
    struck = serializers.BooleanField(help_text="A moderator struck the player: no reward.")


class EndedSeasonSerializer(StartedSeasonSerializer):
    listed = serializers.IntegerField()
    tiers = TierCountSerializer(many=True)
    top = FinalPlaceSerializer(many=True, help_text="The first hundred.")


class CorrectionSerializer(serializers.Serializer[Any]):
    mode = NamedModeSerializer()
    season = NamedSeasonSerializer()
    correction = serializers.ChoiceField(CORRECTIONS)
    player = PersonSerializer(allow_null=True, help_text="null if the end was taken back.")


class VoidNewsSerializer(serializers.Serializer[Any]):
    """A match was voided: it counts for nothing. If it was restored before this was sent, its `state` says so."""

    mode = NamedModeSerializer()
    match = MatchSerializer()
    reason = serializers.CharField(help_text="As its players read it.")


class ReplacementNewsSerializer(serializers.Serializer[Any]):
    """A corrected result has the place of a wrong one in the order. The wrong one is void."""

    mode = NamedModeSerializer()
    old = MatchSerializer()
    new = MatchSerializer()
    reason = serializers.CharField(allow_blank=True, help_text="As its players read it.")


class FoundSeatSerializer(serializers.Serializer[Any]):
    """A player; both are null if they hide their matches or when they play, are hidden, or have left for good."""

    id = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)


class FoundTeamSerializer(serializers.Serializer[Any]):
    players = FoundSeatSerializer(many=True)


class FoundNewsSerializer(serializers.Serializer[Any]):
    """Everybody has accepted, and a server is there if the queue needs one. Told once a lobby."""

    lobby = serializers.CharField(help_text="Its id.")
    mode = NamedModeSerializer()
    region = serializers.CharField(allow_blank=True, help_text="Of the server, else of the lobby.")
    teams = FoundTeamSerializer(many=True)


_ABORTED_FROM = ["ready", "live"]


class AbortNewsSerializer(serializers.Serializer[Any]):
    """The server or a moderator called a match off, before its start or while it ran."""

    lobby = serializers.CharField(help_text="Its id.")
    mode = NamedModeSerializer()
    reason = serializers.CharField(allow_blank=True, help_text="As its players read it.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "from": serializers.ChoiceField(_ABORTED_FROM, help_text="Its state before.")}


class TestSerializer(serializers.Serializer[Any]):
    webhook = serializers.CharField(help_text="The webhook's name in the admin.")


# What `data` holds, by the type of the message.
PAYLOADS: dict[str, type[serializers.Serializer[Any]]] = {
    MATCH_RATED: RatedMatchSerializer,
    MATCH_VOIDED: VoidNewsSerializer,
    MATCH_CORRECTED: ReplacementNewsSerializer,
    MATCH_FOUND: FoundNewsSerializer,
    LOBBY_ABORTED: AbortNewsSerializer,
    PLAYER_PROMOTED: PromotionSerializer,
    SEASON_ENDED: EndedSeasonSerializer,
    SEASON_STARTED: StartedSeasonSerializer,
    SEASON_CORRECTED: CorrectionSerializer,
    TEST: TestSerializer,
}
_HEADERS = {
    "webhook-id": "Names what the message is about. The same message sent again has the same id.",
    "webhook-timestamp": "Seconds since 1970, when it was sent.",
    "webhook-signature": "`v1,` and the signature by Standard Webhooks; two during a rotation, with a space between.",
}


def _webhook(event: str) -> OpenApiWebhook:
    """The description of an event's message."""
    words = event.replace(".", "_")
    name = "".join(word.capitalize() for word in words.split("_"))
    envelope = inline_serializer(
        f"{name}Message",
        {
            "type": serializers.ChoiceField([event]),
            "timestamp": serializers.DateTimeField(help_text="The moment of the event."),
            "data": PAYLOADS[event](),
        },
    )
    return OpenApiWebhook(
        event,
        extend_schema(
            operation_id=f"receive_{words}",
            summary=MEANINGS.get(event, "An operator tries whether messages arrive"),
            description="Answer with any 2xx within ten seconds. Any other answer, and the message comes again later;"
            " 410 switches the webhook off. docs/integrating.md says how to verify the signature.",
            tags=["webhooks"],
            request=envelope,
            responses={"2XX": OpenApiResponse(description="The message has arrived.")},
        ),
    )


WEBHOOKS = [_webhook(event) for event in (*MEANINGS, TEST)]


def add_signatures(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Name the headers of each message: a postprocessing hook of drf-spectacular, which leaves them out."""
    result["components"].setdefault("parameters", {}).update(
        {
            name: {"name": name, "in": "header", "required": True, "description": says, "schema": {"type": "string"}}
            for name, says in _HEADERS.items()
        }
    )
    for webhook in result["webhooks"].values():
        webhook["post"]["parameters"] = [{"$ref": f"#/components/parameters/{name}"} for name in _HEADERS]
    return result
